import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import { withDatabaseRetries } from '../db/connection/database-retries.ts';
import type { TraceRepository } from '../db/turns/trace-repository.ts';
import { prepareTrace, type RawTrace } from './prepare-trace.ts';

/** Takes traces for storage. Never rejects: a trace may be lost, but the work that it reports must continue. */
export interface TraceRecorder {
  /**
   * Resolves when the traces are stored or lost, after `MAX_TRACE_WAIT_MS` at the latest. Traces that are not stored by
   * then may still be stored: while Postgres cannot be reached, storing them is tried again for up to
   * `MAX_TRACE_RETRY_MS`.
   */
  record(...traces: readonly RawTrace[]): Promise<void>;
}

export interface TraceRecorderDeps {
  readonly repository: Pick<TraceRepository, 'store'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Time in milliseconds that a store which is down may keep its caller waiting. A store that works takes a few
 * milliseconds.
 */
export const MAX_TRACE_WAIT_MS = 500;
/**
 * Time in milliseconds for which storing traces is tried. A database that restarts is usually back within that time.
 */
export const MAX_TRACE_RETRY_MS = 60_000;

/**
 * Creates the recorder that stores traces in Postgres. While Postgres cannot be reached, it tries again for up to
 * `MAX_TRACE_RETRY_MS`. Traces that it cannot store are dropped with a line in the log.
 */
export const createTraceRecorder = ({ repository, log }: TraceRecorderDeps): TraceRecorder => {
  const store = async (traces: readonly RawTrace[]): Promise<void> => {
    try {
      const prepared = traces.map(prepareTrace);
      await withDatabaseRetries(() => repository.store(prepared), AbortSignal.timeout(MAX_TRACE_RETRY_MS));
    } catch (error) {
      const { requestId } = traces[0] ?? {};
      log.warn({ err: error, requestId, traces: traces.map(({ type }) => type) }, 'traces are lost');
    }
  };
  return {
    record: (...traces) => Promise.race([store(traces), delay(MAX_TRACE_WAIT_MS, undefined, { ref: false })]),
  };
};
