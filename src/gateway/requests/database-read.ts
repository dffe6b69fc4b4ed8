import { serverUnavailable } from '../errors/api-error.ts';

/** Milliseconds that a short call of Postgres may take. An outage has to be answered within 2 s (docs/http-api.md). */
const READ_DEADLINE_MS = 1_800;

/**
 * Returns the result of a read or a short write in Postgres. Rejects with `database_unavailable` when it takes longer
 * than `READ_DEADLINE_MS`; a write may take effect nevertheless.
 */
export const fromDatabase = <T>(read: Promise<T>): Promise<T> =>
  withTimeout(READ_DEADLINE_MS, read, () => {
    throw serverUnavailable('database');
  });

/**
 * Settles as `promise` does, or after `ms` milliseconds with what `onTimeout` returns or throws. A response must not
 * wait for a server that never replies. The timer does not keep the process alive.
 */
export const withTimeout = <T>(ms: number, promise: Promise<T>, onTimeout: () => T): Promise<T> => {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  return Promise.race([promise, timeout.then(onTimeout)]).finally(() => clearTimeout(timer));
};
