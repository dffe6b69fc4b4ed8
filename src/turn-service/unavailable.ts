import { isDatabaseUnavailable } from '../db/connection/database-unavailable.ts';
import { isTemporalUnavailable } from '../temporal/temporal-unavailable.ts';

/** A server without which a gateway cannot answer, and which may be away for a while. */
export type ServerName = 'temporal' | 'database';

/**
 * Returns the server that cannot be reached, as an unexpected error shows. `temporal` also stands for workers that do
 * not answer. Returns undefined for any other error.
 */
export const unavailableServerOf = (error: unknown): ServerName | undefined => {
  if (isTemporalUnavailable(error)) return 'temporal';
  return isDatabaseUnavailable(error) ? 'database' : undefined;
};
