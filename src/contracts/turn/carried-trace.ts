import type { JsonValue } from '../values/json-value.ts';
import type { TraceSource, TraceType } from './trace-event.ts';

/**
 * A trace that the workflow recorded. It travels in the inputs of activities until one has stored it, so it is small
 * and contains no text of user, model or tool.
 */
export interface CarriedTrace {
  /** Place of the trace among everything that the protocol core has recorded in this turn: 1, 2, … */
  readonly ordinal: number;
  /** Name of the trace within its turn. If absent, the ordinal is the name. */
  readonly key?: string;
  /** Milliseconds since 1970, by the workflow's clock. */
  readonly at: number;
  readonly type: TraceType;
  readonly source: TraceSource;
  readonly summary: string;
  readonly details?: JsonValue;
  readonly phaseIndex?: number;
  readonly cycleIndex?: number;
  readonly error?: string;
}

/** Traces of the workflow that an activity stores together with its own traces, and where those belong in the turn. */
export interface CarriedTraces {
  /** The activity's own traces sort after this number. */
  readonly ordinal: number;
  readonly phaseIndex?: number;
  readonly cycleIndex?: number;
  readonly records: CarriedTrace[];
}
