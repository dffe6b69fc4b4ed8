import { z } from 'zod';
import { apiErrorCodeSchema } from '../../contracts/http/errors.ts';

/** Why the gateway did not take what is kept. */
export const keptFailureSchema = z.object({
  code: z.enum([...apiErrorCodeSchema.options, 'unreachable', 'unreadable']),
  message: z.string(),
});
