import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { steerBodySchema } from '../inputs/steering.ts';

/** Body of `POST /api/turns/:turnId/messages`. */
export const turnMessageBodySchema = steerBodySchema.extend({
  messageId: idSchema
    .optional()
    .describe(
      'The same again is answered the same; drawn where it is absent, and told in `details` of a 5xx.',
    ),
  queue: z
    .boolean()
    .default(false)
    .describe('Where the turn has ended: start the next one of its conversation, under the messageId.'),
});

/** Answer of `POST /api/turns/:turnId/messages`. */
export const turnMessageAnswerSchema = z.object({
  messageId: z.string(),
  /** The turn that has the message: the one of the path, or the next one. */
  turnId: z.string(),
  state: z
    .enum(['accepted', 'queued'])
    .describe('`accepted`: the running turn takes it, or hands it back. `queued`: it began the next turn.'),
});
export type TurnMessageAnswer = z.infer<typeof turnMessageAnswerSchema>;
