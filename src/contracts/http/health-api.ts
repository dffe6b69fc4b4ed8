import { z } from 'zod';
import { apiErrorSchema } from './errors.ts';

/** Answer of `GET /health`: this process answers. */
export const healthAnswerSchema = z.object({ status: z.literal('ok') });

/** Each check by its name: `ok`, or what is wrong. Absent for callers without a key. */
const checksSchema = z.record(z.string(), z.string());

/** Answer of `GET /ready` when a turn that is started now would run. */
export const readyAnswerSchema = z.object({ status: z.literal('ready'), checks: checksSchema.optional() });

/** Answer of `GET /ready` with status 503. */
export const unreadyAnswerSchema = apiErrorSchema.extend({
  status: z.literal('unready'),
  /** Code of the problem; absent for callers without a key. */
  code: apiErrorSchema.shape.code.optional(),
  checks: checksSchema.optional(),
});
