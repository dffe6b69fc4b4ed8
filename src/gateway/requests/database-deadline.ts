import { withTimeout } from '../../base/timing/with-timeout.ts';
import { serverUnavailableError } from '../errors/api-error.ts';

/** Milliseconds that a short call of Postgres may take. An outage has to be answered within 2 s (docs/http-api.md). */
const DATABASE_DEADLINE_MS = 1_800;

/**
 * Returns the result of a read or a short write in Postgres. Rejects with `database_unavailable` when it takes longer
 * than `DATABASE_DEADLINE_MS`; a write may take effect nevertheless.
 */
export const withDatabaseDeadline = <T>(read: Promise<T>): Promise<T> =>
  withTimeout(DATABASE_DEADLINE_MS, read, () => {
    throw serverUnavailableError('database');
  });
