import type { TraceType } from '../../src/contracts/turn/trace-event.ts';
import { jsonBytes } from '../../src/protocol/event-log/event-weight.ts';
import type { WallClock } from '../../src/protocol/ports/wall-clock.ts';
import type { TraceRecord, TraceService } from '../../src/protocol/ports/trace-service.ts';
import type { CarriedTrace, CarriedTraces } from '../../src/contracts/turn/carried-trace.ts';
import { KIB } from '../../src/contracts/values/units.ts';

/**
 * Types that are not carried, because the activity that does the work records them itself, with all details. Only the
 * result of a withheld call is carried, since such a call has no activity.
 */
const RECORDED_BY_ACTIVITIES: ReadonlySet<TraceType> = new Set([
  'llm_call',
  'llm_result',
  'tool_call',
  'tool_result',
]);
/**
 * Types whose text the turn's row or events contain already. They are carried without this text, and the activity that
 * stores them adds it again.
 */
const CARRIED_WITHOUT_TEXT: ReadonlySet<TraceType> = new Set(['user_message', 'orion_response', 'steer']);
/** This type is also the key of its trace, so that the trace is stored once, whichever activity carries it. */
const USER_MESSAGE: TraceType = 'user_message';

/** Length, in characters, to which a summary and an error are cut. */
const MAX_CHARACTERS = 300;
/** Largest size of details, in bytes of JSON. Larger details are left out. */
const MAX_DETAIL_BYTES = 1024;
/**
 * Largest size of all records that wait, in bytes of JSON. A record that would exceed it is dropped. This is far more
 * than a turn usually records between two activities, and far less than the 2 MiB above which Temporal refuses an
 * activity's input for ever.
 */
const MAX_BYTES = 48 * KIB;

type LostTrace = Pick<CarriedTrace, 'type' | 'source' | 'summary' | 'error'> & { readonly key: string };

/**
 * Collects what the core records in the workflow, so that the next activity stores it and tracing costs no activity of
 * its own. Ordinals follow from the order of the calls, which a replay repeats, so a trace that is recorded again has
 * the same ordinal. Records must be small, since they are stored in the history (docs/storage.md "Traces").
 */
export class TraceCarrier implements TraceService {
  readonly #clock: WallClock;
  #pending: CarriedTrace[] = [];
  #bytes = 0;
  #ordinal = 0;
  #place: Pick<CarriedTrace, 'phaseIndex' | 'cycleIndex'> = {};

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  record({ type, source, summary, details, phaseIndex, cycleIndex, error }: TraceRecord): void {
    this.#ordinal += 1;
    this.#place = {
      ...(phaseIndex !== undefined && { phaseIndex }),
      ...(cycleIndex !== undefined && { cycleIndex }),
    };
    const isRefusal = type === 'tool_result' && source === 'system';
    if (RECORDED_BY_ACTIVITIES.has(type) && !isRefusal) return;
    const hasNoText = isRefusal || CARRIED_WITHOUT_TEXT.has(type);
    this.#keep({
      ...(type === USER_MESSAGE && { key: USER_MESSAGE }),
      type,
      source,
      summary: type === USER_MESSAGE ? '' : shortened(summary),
      ...(!hasNoText && smallDetails(details)),
      ...(error !== undefined && { error: shortened(error) }),
    });
  }

  /**
   * Records traces in place of an activity that was lost. If the activity stored the same traces itself, those stay.
   */
  recordLost(...traces: readonly LostTrace[]): void {
    for (const trace of traces) this.#keep(trace);
  }

  /**
   * Returns traces for the input of an activity. They stay until `noteStored` is called, because an activity may never
   * run.
   */
  pending(): CarriedTraces {
    return { ordinal: this.#ordinal, ...this.#place, records: [...this.#pending] };
  }

  /** Notes that the activity which carried these traces has ended, so that they need not be carried again. */
  noteStored({ records }: CarriedTraces): void {
    const gone = new Set(records);
    this.#pending = this.#pending.filter((trace) => !gone.has(trace));
    this.#bytes = this.#pending.reduce((sum, trace) => sum + jsonBytes(trace), 0);
  }

  #keep(trace: Omit<CarriedTrace, 'ordinal' | 'at'>): void {
    const record = { ordinal: this.#ordinal, at: this.#clock.now(), ...trace, ...this.#place };
    const bytes = this.#bytes + jsonBytes(record);
    if (bytes > MAX_BYTES) return;
    this.#bytes = bytes;
    this.#pending.push(record);
  }
}

const shortened = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…`;

const smallDetails = (details: unknown): Pick<CarriedTrace, 'details'> =>
  details === undefined || jsonBytes(details) > MAX_DETAIL_BYTES
    ? {}
    : { details: details as NonNullable<CarriedTrace['details']> };
