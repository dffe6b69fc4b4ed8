import { type TraceList, traceListSchema } from '../../contracts/http/trace-api.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';
import type { GatewayClient } from './gateway-client.ts';

/** The traces to read: those of a turn, of one type or of all, and the page among them. */
export interface TraceSelection {
  readonly projectId: string;
  readonly turnId: string;
  readonly type?: string;
  readonly limit: number;
  /** Number of the newest events to skip. Absent means none. */
  readonly offset?: number;
}

/** Creates the call of `GET /api/trace/logs` (docs/storage.md "Traces"). It throws as `GatewayClient` does. */
export const createTraceClient = (gateway: GatewayClient) => ({
  list: ({ projectId, turnId: requestId, type, limit, offset }: TraceSelection): Promise<TraceList> =>
    gateway.requestJson(
      traceListSchema,
      `/api/trace/logs${queryStringOf({ projectId, requestId, type, limit, offset })}`,
    ),
});
/** The requests to the gateway about traces, which say what a turn did. */
export type TraceClient = ReturnType<typeof createTraceClient>;
