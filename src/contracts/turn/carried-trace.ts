import type { JsonValue } from '../values/json-value.ts';
import type { TraceSource, TraceType } from './trace-event.ts';

/**
 * A trace of the workflow on its way to the store: it rides on the input of the next activity, so it is small and
 * holds no text of user, model or tool.
 */
export interface CarriedTrace {
  /** 1, 2, …: place among everything that the protocol core recorded in this turn. */
  readonly ordinal: number;
  /** Name within the turn; absent: the ordinal names it. */
  readonly key?: string;
  /** Milliseconds since the epoch, of the workflow's clock. */
  readonly at: number;
  readonly type: TraceType;
  readonly source: TraceSource;
  readonly summary: string;
  readonly details?: JsonValue;
  readonly phaseIndex?: number;
  readonly cycleIndex?: number;
  readonly error?: string;
}

/** Traces of the workflow that an activity stores beside its own, and where in the turn its own stand. */
export interface CarriedTraces {
  /** The activity's own traces stand after this one. */
  readonly ordinal: number;
  readonly phaseIndex?: number;
  readonly cycleIndex?: number;
  readonly records: CarriedTrace[];
}
