import { z } from 'zod';
import { inputKindSchema } from '../wire/input-events.ts';

/** The input request that a turn waits for. The whole request is at `GET /api/turns/:id/inputs/:n`. */
export const waitingForSchema = z.object({
  inputId: z.string(),
  kind: inputKindSchema,
  expiresAt: z.string().describe('When the request expires, in ISO 8601.'),
});
export type WaitingFor = z.infer<typeof waitingForSchema>;
