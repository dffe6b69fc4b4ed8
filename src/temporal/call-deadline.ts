import type { Client } from '@temporalio/client';

/**
 * Milliseconds that one call of Temporal may take. A client of the gateway must have its response within 2 s, which
 * includes `PROBE_MS` of src/temporal/ask-worker.ts.
 */
export const TEMPORAL_CALL_MS = 1_600;

/** Makes a call of Temporal that may take `TEMPORAL_CALL_MS`. Rejects when Temporal has not answered by then. */
export const callWithDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + TEMPORAL_CALL_MS, call);
