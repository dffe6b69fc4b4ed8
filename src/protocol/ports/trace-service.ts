import type { TraceSource, TraceType } from '../../contracts/turn/trace-event.ts';

/** One thing that happened, as the core tells it: words for people, details as JSON. */
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

/** A trace as the core gives it; the turn adds its own ids and place. */
export type TraceEntry = Pick<TraceRecord, 'type' | 'source' | 'summary'> & Partial<TraceRecord>;

/** Records what happened. Never throws: a trace may fail, a turn may not. */
export interface TraceService {
  record(event: TraceRecord): void;
}
