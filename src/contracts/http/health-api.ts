import { z } from 'zod';
import { apiErrorSchema } from './errors.ts';

/** Response to `GET /health`. It shows only that this process answers, not that turns would run. */
export const healthResponseSchema = z.object({ status: z.literal('ok') });

const checksSchema = z
  .record(z.string(), z.string())
  .describe(
    'The result of each check by its name: `ok`, or what is wrong. Absent for callers without a key.',
  );

/** Response to `GET /ready` when a turn that is started now would run. */
export const readyResponseSchema = z.object({ status: z.literal('ready'), checks: checksSchema.optional() });

/** Response to `GET /ready` when a turn that is started now would not run. Its status is 503. */
export const unreadyResponseSchema = apiErrorSchema.extend({
  status: z.literal('unready'),
  code: apiErrorSchema.shape.code
    .optional()
    .describe('Code of the problem. Absent for callers without a key.'),
  checks: checksSchema.optional(),
});
