import type { Budgets } from '../../contracts/turn/budgets.ts';
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

/** Milliseconds since the epoch; in the workflow Temporal's deterministic time. */
export interface WallClock {
  now(): number;
}

/** Read after every port call: a user's cancel ends the turn with what was said. */
export interface CancelRequest {
  readonly requested: boolean;
}

/** Budgets and the other settings of a run; absent fields have the defaults of docs/protocol.md. */
export type ProtocolConfig = Partial<Budgets> & {
  readonly toolResultRole?: 'tool' | 'system';
  /** Temperature of every model call of the run, 0 to 2. Absent means that of the mode. */
  readonly temperature?: number | undefined;
  /** Number of tools that the run may execute in all, whatever it is granted. Absent means 50. */
  readonly maxPhaseCyclesLimit?: number | undefined;
  /** Answers that are forced after the run's time is over. Absent means as many as there are messages of the user. */
  readonly maxLateAnswers?: number | undefined;
};
