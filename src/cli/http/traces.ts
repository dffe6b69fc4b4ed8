import { type TraceList, traceListSchema } from '../../contracts/http/traces.ts';
import { queryOf, type Gateway } from './gateway.ts';

export interface TraceSelection {
  readonly projectId: string;
  readonly requestId: string;
  readonly type?: string;
  readonly limit: number;
  /** Counted from the newest. */
  readonly offset?: number;
}

/** `GET /api/trace/logs` (docs/storage.md "Traces"); throws what `Gateway` throws. */
export const createTraceCalls = (gateway: Gateway) => ({
  list: ({ projectId, requestId, type, limit, offset }: TraceSelection): Promise<TraceList> =>
    gateway.json(traceListSchema, `/api/trace/logs${queryOf({ projectId, requestId, type, limit, offset })}`),
});
export type TraceCalls = ReturnType<typeof createTraceCalls>;
