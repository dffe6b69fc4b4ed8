import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { TraceType } from '../../src/contracts/turn/trace-event.ts';
import { turnToolDefinitions, turnToolsOf } from '../../src/tools/turn-tools/turn-tools.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import type { TurnRepository } from '../../src/db/turns/turn-repository.ts';
import type { RawTrace } from '../../src/trace/prepare-trace.ts';
import { MAX_TRACE_RETRY_MS, MAX_TRACE_WAIT_MS, type TraceRecorder } from '../../src/trace/trace-recorder.ts';
import type { CarriedTrace, CarriedTraces } from '../../src/contracts/turn/carried-trace.ts';

export interface TracerDeps {
  readonly traces: TraceRecorder;
  /**
   * Finds the turn's row, which has the text of the user's message. The workflow records that message without its text.
   */
  readonly turns: Pick<TurnRepository, 'find'>;
  /** Lists the offered tools. The workflow records only that tools are offered. */
  readonly registry: Pick<ToolRegistry, 'definitions'>;
}

/** The fields of a trace that an activity sets itself; `ActivityTracer` adds turn, phase and time. */
export type ActivityTrace = Pick<RawTrace, 'type' | 'source' | 'summary' | 'details' | 'error'> & {
  readonly key: string;
};

/**
 * Number of ordinals from one record of the core to the next: record 3 is stored with the ordinal 3,000. An activity's
 * own traces sort between two records.
 */
const ORDINALS_PER_RECORD = 1_000;
/**
 * Number of ordinals of one rank. `add` gives nine of them to one trace after another. A tenth trace shares the ordinal
 * of the ninth.
 */
const ORDINALS_PER_RANK = 10;
/** Highest rank. Higher ones count as this one, so that no ordinal reaches that of the core's next record. */
const MAX_RANK = ORDINALS_PER_RECORD / ORDINALS_PER_RANK - 2;

/**
 * Milliseconds for which traces are collected before they are stored together. Meanwhile the first words of a fast
 * model pass.
 */
const WRITE_DELAY_MS = 50;

const NOTHING_CARRIED: CarriedTraces = { ordinal: 0, records: [] };

/**
 * Stores the traces of one activity: first those that the workflow has given it, then its own. Traces are stored in the
 * background. Those that come within `WRITE_DELAY_MS` are stored together.
 */
export class ActivityTracer {
  readonly #deps: TracerDeps;
  readonly #input: TurnActivityInput;
  readonly #carried: CarriedTraces;
  readonly #rank: number;
  // By Temporal's clock. The worker's clock may be slow, but no trace may seem older than the scheduling of its
  // activity.
  readonly #earliest = Context.current().info.currentAttemptScheduledTimestampMs;
  #waiting: RawTrace[] = [];
  #count = 0;
  #hasBegun = false;
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();

  /**
   * Creates the tracer of one attempt of an activity. `rank` decides between attempts and activities at the same place
   * of the turn: traces of a higher rank sort later, and replace those of a lower one that have the same key.
   */
  constructor(deps: TracerDeps, input: TurnActivityInput, rank: number) {
    this.#deps = deps;
    this.#input = input;
    this.#carried = input.traces ?? NOTHING_CARRIED;
    this.#rank = Math.min(rank, MAX_RANK);
  }

  /** Adds a trace. A trace of a higher rank with the same key replaces it. */
  add(trace: ActivityTrace): void {
    this.#count = Math.min(this.#count + 1, ORDINALS_PER_RANK - 1);
    this.#add(trace, this.#rank * ORDINALS_PER_RANK + this.#count);
  }

  /** Adds a trace that later attempts do not replace: the first attempt's trace with this key stays. */
  addOnce(trace: ActivityTrace): void {
    this.#add(trace, 0);
  }

  /**
   * Begins to store the waiting traces, and does not wait until they are stored. The first call also stores those of
   * the workflow.
   */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const traces = this.#waiting;
    this.#waiting = [];
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (!isFirst && traces.length === 0) return;
    this.#written = this.#storeAfter(this.#written, traces, isFirst);
  }

  /**
   * Stores the waiting traces. Resolves when all traces are stored or lost, but after `MAX_TRACE_WAIT_MS` at the
   * latest. Never rejects.
   */
  async close(): Promise<void> {
    this.flush();
    await Promise.race([this.#written, delay(MAX_TRACE_WAIT_MS, undefined, { ref: false })]);
  }

  async #storeAfter(before: Promise<void>, traces: readonly RawTrace[], isFirst: boolean): Promise<void> {
    await before;
    const carried = isFirst ? await loadCarriedTraces(this.#deps, this.#input) : [];
    if (carried.length + traces.length > 0) await this.#deps.traces.record(...carried, ...traces);
  }

  #add(trace: ActivityTrace, place: number): void {
    const { turnId: requestId, projectId } = this.#input;
    const { ordinal, phaseIndex, cycleIndex } = this.#carried;
    this.#waiting.push({
      projectId,
      requestId,
      phaseIndex,
      cycleIndex,
      ordinal: ordinal * ORDINALS_PER_RECORD + place,
      at: new Date(Math.max(Date.now(), this.#earliest)),
      ...trace,
    });
    this.#timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS);
  }
}

/**
 * Returns the traces that the workflow recorded before this activity, ready for the store. It reads what they leave out
 * from the turn's row, for which it waits up to a minute while Postgres is away. Without the row they stay incomplete.
 * Never rejects.
 */
export const loadCarriedTraces = async (deps: TracerDeps, ref: TurnActivityInput): Promise<RawTrace[]> => {
  const { records } = ref.traces ?? NOTHING_CARRIED;
  const isComplete = records.every(({ type }) => !(type in COMPLETED));
  const turn = isComplete ? undefined : await findTurnRow(deps, ref.turnId);
  return records.map((record) => ({
    ...toTrace(ref, record),
    ...(turn !== undefined && COMPLETED[record.type]?.(turn, deps)),
  }));
};

type TraceCompletion = (turn: TurnRow, deps: TracerDeps) => Pick<RawTrace, 'summary' | 'details'>;

/**
 * Functions by type of trace. Each returns the fields that a carried record of this type leaves out, because they are
 * stored elsewhere.
 */
const COMPLETED: { readonly [Type in TraceType]?: TraceCompletion } = {
  user_message: ({ input: { content, conversationId, mode, protocol } }) => ({
    summary: content,
    details: { content, conversationId, mode, protocol },
  }),
  tool_registration: ({ input: { mode, inputs }, clientTools }, { registry }) => {
    const mayAskUser = inputs?.accepts?.includes('question') === true;
    const own = turnToolsOf({ mayAskUser, client: clientTools });
    const offered = [...registry.definitions(mode), ...turnToolDefinitions(own, mode)];
    const tools = offered.map((tool) => tool.function.name);
    return { summary: `${tools.length} tools`, details: { tools } };
  },
};

/**
 * Returns the stored row of the turn. Returns undefined if there is none, or if it cannot be read. While Postgres is
 * away, it tries for a minute.
 */
const findTurnRow = ({ turns }: TracerDeps, turnId: string): Promise<TurnRow | undefined> =>
  withDatabaseRetries(() => turns.find(turnId), AbortSignal.timeout(MAX_TRACE_RETRY_MS)).catch(
    () => undefined,
  );

const toTrace = ({ turnId, projectId }: TurnActivityInput, record: CarriedTrace): RawTrace => {
  const { ordinal, at, key, ...fields } = record;
  return {
    ...fields,
    projectId,
    requestId: turnId,
    key: key ?? `w${ordinal}`,
    ordinal: ordinal * ORDINALS_PER_RECORD,
    at: new Date(at),
  };
};
