import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { inputActorSchema, inputRequestedSchema, inputResolvedSchema } from '../wire/input-events.ts';
import { integerText } from './message-api.ts';

/** Query of `GET /api/inputs`, with aliases already folded. */
export const inputQuerySchema = z.object({
  /** Project of the requests; absent: every project of the key. */
  projectId: idSchema.optional(),
  /** State of the requests; absent: both. */
  status: z.enum(['open', 'closed']).optional(),
  limit: integerText(1, 50, 20),
  offset: integerText(0, 999_999_999, 0),
});

/** An input request as it stands. Times are ISO 8601. */
export const inputViewSchema = inputRequestedSchema.omit({ type: true }).extend({
  turnId: z.string(),
  projectId: z.string(),
  conversationId: z.string(),
  status: z.enum(['open', 'closed']),
  openedAt: z.string(),
  /** The event that resolved the request; null while it is open, and when the end of its turn has closed it. */
  resolution: inputResolvedSchema
    .omit({ type: true, inputId: true })
    .extend({ by: inputActorSchema })
    .nullable(),
  closedAt: z.string().nullable(),
});
export type InputView = z.infer<typeof inputViewSchema>;

/** Answer of `GET` and `POST /api/turns/:turnId/inputs/:n`. */
export const inputAnswerSchema = z.object({ input: inputViewSchema });
export type InputAnswer = z.infer<typeof inputAnswerSchema>;

/** Answer of `GET /api/inputs`: oldest first, without diffs. */
export const inputListSchema = z.object({ inputs: z.array(inputViewSchema), more: z.boolean() });
export type InputList = z.infer<typeof inputListSchema>;

/** The only frame of `GET /api/inputs/news`: the requests that wait may have changed, or listening has begun again. */
export const inputNewsFrameSchema = z.object({ type: z.literal('inputs_changed') });
export type InputNewsFrame = z.infer<typeof inputNewsFrameSchema>;
