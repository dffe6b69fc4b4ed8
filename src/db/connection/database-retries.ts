import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '../../base/timing/backoff.ts';
import { isDatabaseUnavailable } from './database-unavailable.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/**
 * Repeats `work` while Postgres cannot be reached. A restart of the database must not cost a second model call, so an
 * activity waits here instead of failing. Rejects with any other failure. After an abort of `signal` it rejects with
 * the last failure, or with an AbortError if the abort ends a pause.
 */
export const withDatabaseRetries = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || signal.aborted) throw error;
      await delay(backoff.nextPause(), undefined, { signal });
    }
  }
};
