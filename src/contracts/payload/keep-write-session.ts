import { z } from 'zod';
import { turnRefSchema } from './model-call.ts';
import { contentRefSchema, sessionIdSchema } from '../write-session.ts';

/** One action phase of a write session, and where its text is found. */
const keptPhaseSchema = z.object({
  end: z.enum(['ended', 'length', 'cut']),
  /** Characters before the content. */
  skip: z.number().int().nonnegative(),
  source: z.union([
    /** The segment that the model call has stored under this epoch. */
    z.object({ epoch: z.number().int().positive() }),
    /** The call was lost; what the workflow holds of its text stands in no segment yet. */
    z.object({ text: z.string() }),
  ]),
});

/** Input of `keepWriteSession`: the file's text itself does not enter the history a second time. */
export const keepWriteSessionInputSchema = turnRefSchema.extend({
  sessionId: sessionIdSchema,
  phases: z.array(keptPhaseSchema),
  /** What the workflow holds; other content is never committed. */
  content: contentRefSchema,
  /** False: the content becomes the session's draft, and nothing more. */
  commit: z.boolean(),
});
export type KeepWriteSessionInput = z.infer<typeof keepWriteSessionInputSchema>;
