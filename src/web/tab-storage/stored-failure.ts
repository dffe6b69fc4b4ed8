import { z } from 'zod';
import { apiErrorCodeSchema } from '../../contracts/http/errors.ts';

/** The reason why the gateway did not accept a stored message. */
export const storedFailureSchema = z.object({
  code: z.enum([...apiErrorCodeSchema.options, 'unreachable', 'unreadable']),
  message: z.string(),
});
