import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { steerBodySchema } from '../inputs/steering.ts';

/** Body of `POST /api/turns/:turnId/messages`: a message into a running turn. */
export const turnMessageBodySchema = steerBodySchema.extend({
  messageId: idSchema
    .optional()
    .describe(
      'Your id for the message. Sending it again returns the same response. If you omit it, the gateway generates one and returns it in `details` of a 5xx response.',
    ),
  queue: z
    .boolean()
    .default(false)
    .describe(
      'If true and the turn has ended, the message starts the next turn of the conversation, with `messageId` as the id of that turn.',
    ),
});

/** Response to `POST /api/turns/:turnId/messages`: which turn has the message. */
export const turnMessageResponseSchema = z.object({
  messageId: z.string(),
  turnId: z.string().describe('Id of the turn that has the message: the one in the path, or the next one.'),
  state: z
    .enum(['accepted', 'queued'])
    .describe(
      '`accepted`: the running turn reads the message, or lists it as `unapplied` when it ends. `queued`: the message started the next turn.',
    ),
});
export type TurnMessageResponse = z.infer<typeof turnMessageResponseSchema>;
