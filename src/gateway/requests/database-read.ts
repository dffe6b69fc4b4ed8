import { serverUnavailable } from '../errors/api-error.ts';

/** An outage has to be answered within 2 s (docs/http-api.md). */
export const DATABASE_DEADLINE_MS = 1_800;

/** Returns the result of a read from Postgres. Throws `database_unavailable` when it takes too long. */
export const fromDatabase = <T>(read: Promise<T>): Promise<T> =>
  withTimeout(DATABASE_DEADLINE_MS, read, () => {
    throw serverUnavailable('database');
  });

/**
 * Settles as `promise` does, or after `ms` with what `onTimeout` returns or throws: an answer must not wait for a
 * server that never replies. The timer keeps no process alive.
 */
export const withTimeout = <T>(ms: number, promise: Promise<T>, onTimeout: () => T): Promise<T> => {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  return Promise.race([promise, timeout.then(onTimeout)]).finally(() => clearTimeout(timer));
};
