import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { inputActorSchema, inputRequestedSchema, inputResolvedSchema } from '../wire/input-events.ts';
import { integerText, offsetText } from './paging.ts';

/** Query of `GET /api/inputs`, with aliases of field names already replaced. */
export const inputQuerySchema = z.object({
  projectId: idSchema
    .optional()
    .describe('Returns only input requests of this project. Default: every project of the key.'),
  status: z
    .enum(['open', 'closed'])
    .optional()
    .describe('Returns only input requests in this state. Default: both.'),
  limit: integerText(1, 50, 20),
  offset: offsetText,
});

/** An input request in its present state, as clients see it. */
export const inputViewSchema = inputRequestedSchema.omit({ type: true }).extend({
  turnId: z.string(),
  projectId: z.string(),
  conversationId: z.string(),
  status: z
    .enum(['open', 'closed'])
    .describe(
      '`open`: the turn waits for a reply. `closed`: the request was resolved, or its turn has ended.',
    ),
  openedAt: z.string().describe('When the turn made the request, in ISO 8601.'),
  resolution: inputResolvedSchema
    .omit({ type: true, inputId: true })
    .extend({ by: inputActorSchema.describe('Who replied.') })
    .nullable()
    .describe(
      'How the request was resolved. Null while it is open, and if it was closed by the end of its turn.',
    ),
  closedAt: z
    .string()
    .nullable()
    .describe('When the request was closed, in ISO 8601. Null while it is open.'),
});
export type InputView = z.infer<typeof inputViewSchema>;

/** Response to `GET` and `POST /api/turns/:turnId/inputs/:n`. */
export const inputResponseSchema = z.object({ input: inputViewSchema.describe('The input request.') });
export type InputResponse = z.infer<typeof inputResponseSchema>;

/** Response to `GET /api/inputs`: the oldest requests first, without their diffs. */
export const inputListSchema = z.object({
  inputs: z.array(inputViewSchema).describe('The input requests of this page.'),
  more: z.boolean().describe('True if more entries follow.'),
});
export type InputList = z.infer<typeof inputListSchema>;

/**
 * The only frame of `GET /api/inputs/news`. It says that the list of open requests may have changed, so that the client
 * reads it again. The frame also comes when listening begins, or begins again, because a change before that may have
 * been missed.
 */
export const inputNewsFrameSchema = z.object({ type: z.literal('inputs_changed') });
export type InputNewsFrame = z.infer<typeof inputNewsFrameSchema>;
