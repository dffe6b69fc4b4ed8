import type { TraceSource, TraceType } from '../../contracts/turn/trace-event.ts';

/** One thing that happened in a turn. `summary` is for people, and `details` is a JSON value. */
export interface TraceRecord {
  readonly projectId: string;
  readonly requestId: string;
  readonly type: TraceType;
  readonly source: TraceSource;
  readonly summary: string;
  readonly details?: unknown;
  readonly phaseIndex?: number;
  readonly cycleIndex?: number;
  readonly error?: string;
}

/** A trace as the core records it. The turn adds its ids, its phase and its cycle. */
export type TraceFields = Pick<TraceRecord, 'type' | 'source' | 'summary'> & Partial<TraceRecord>;

/** Records what happened. `record` never throws, because a trace may fail, but a turn must not fail with it. */
export interface TraceService {
  record(event: TraceRecord): void;
}
