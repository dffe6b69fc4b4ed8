import { z } from 'zod';
import { apiErrorCodeSchema } from '../../contracts/http/errors.ts';

/** Why the gateway did not accept a message that is stored. */
export const storedFailureSchema = z.object({
  code: z.enum([...apiErrorCodeSchema.options, 'unreachable', 'unreadable']),
  message: z.string(),
});
