import type { Client } from '@temporalio/client';

/** Milliseconds within which a client of the gateway must have its response. */
const RESPONSE_MS = 2_000;
/** Milliseconds of a response that are left for the gateway's own work. */
const OWN_WORK_MS = 100;

/** Milliseconds in which Temporal itself must answer after a call that no worker has answered. */
export const PROBE_MS = 300;

/** Milliseconds that one call of Temporal may take, so that a probe may still follow it. */
export const TEMPORAL_CALL_MS = RESPONSE_MS - PROBE_MS - OWN_WORK_MS;

/** Makes a call of Temporal that may take `TEMPORAL_CALL_MS`. Rejects when Temporal has not answered by then. */
export const callWithDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + TEMPORAL_CALL_MS, call);
