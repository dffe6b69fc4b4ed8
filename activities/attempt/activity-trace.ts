import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { TraceType } from '../../src/contracts/turn/trace-event.ts';
import { ownDefinitions, ownToolsOf } from '../../src/tools/own/own-tools.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import type { TurnRepository } from '../../src/db/turns/turn-repository.ts';
import type { TraceInput } from '../../src/trace/prepare-trace.ts';
import { MAX_TRY_MS, MAX_WAIT_MS, type TraceRecorder } from '../../src/trace/trace-store.ts';
import type { CarriedTrace, CarriedTraces } from '../../src/contracts/turn/carried-trace.ts';

export interface TraceDeps {
  readonly traces: TraceRecorder;
  /** The user's message is traced without its words, which are in the turn's row. */
  readonly turns: Pick<TurnRepository, 'find'>;
  /** The workflow records that tools are offered; which ones, the worker's registry knows. */
  readonly registry: Pick<ToolRegistry, 'definitions'>;
}

/** The fields that an activity itself gives to a trace event; turn, phase and time are added here. */
export type OwnTrace = Pick<TraceInput, 'type' | 'source' | 'summary' | 'details' | 'error'> & {
  readonly key: string;
};

/**
 * Keys between two records of the core: `ordinal` numbers those records, and an activity's own traces sort between
 * them.
 */
const ORDINALS_PER_RECORD = 1_000;
const ORDINALS_PER_RANK = 10;
const MAX_RANKS = ORDINALS_PER_RECORD / ORDINALS_PER_RANK - 2;

/** Late enough for the model's first token to pass: what an activity traces at its start is stored after that. */
const FIRST_WRITE_MS = 50;

const NOTHING_CARRIED: CarriedTraces = { ordinal: 0, records: [] };

/**
 * Traces of one activity: those the workflow gave it to store, then its own. They are written in the background, and
 * those that come quickly after one another in one statement.
 */
export class ActivityTrace {
  readonly #deps: TraceDeps;
  readonly #ref: TurnActivityInput;
  readonly #carried: CarriedTraces;
  readonly #rank: number;
  // Temporal's own clock: nothing in the activity may seem to happen before it was asked for.
  readonly #earliest = Context.current().info.currentAttemptScheduledTimestampMs;
  #waiting: TraceInput[] = [];
  #count = 0;
  #hasBegun = false;
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<void> = Promise.resolve();

  /**
   * `rank` decides between two activities at the same place of the turn: the traces of the one with the higher rank
   * sort later, and replace those of the other under the same key.
   */
  constructor(deps: TraceDeps, ref: TurnActivityInput, rank: number) {
    this.#deps = deps;
    this.#ref = ref;
    this.#carried = ref.traces ?? NOTHING_CARRIED;
    this.#rank = Math.min(rank, MAX_RANKS);
  }

  /** Adds a trace of this attempt; a trace of the same key by a later attempt replaces it. */
  add(own: OwnTrace): void {
    this.#count = Math.min(this.#count + 1, ORDINALS_PER_RANK - 1);
    this.#add(own, this.#rank * ORDINALS_PER_RANK + this.#count);
  }

  /** Adds a trace once for all attempts: what the first attempt said stays. */
  addOnce(own: OwnTrace): void {
    this.#add(own, 0);
  }

  /** Writes what waits, in the background. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const own = this.#waiting;
    this.#waiting = [];
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (!isFirst && own.length === 0) return;
    this.#written = this.#storeAfter(this.#written, own, isFirst);
  }

  /** Writes what waits; resolves when it is stored, or soon, whatever the store does. Never rejects. */
  async close(): Promise<void> {
    this.flush();
    await Promise.race([this.#written, delay(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  async #storeAfter(before: Promise<void>, own: readonly TraceInput[], isFirst: boolean): Promise<void> {
    await before;
    const carried = isFirst ? await carriedTraces(this.#deps, this.#ref) : [];
    if (carried.length + own.length > 0) await this.#deps.traces.record(...carried, ...own);
  }

  #add(own: OwnTrace, place: number): void {
    const { turnId: requestId, projectId } = this.#ref;
    const { ordinal, phaseIndex, cycleIndex } = this.#carried;
    this.#waiting.push({
      projectId,
      requestId,
      phaseIndex,
      cycleIndex,
      ordinal: ordinal * ORDINALS_PER_RECORD + place,
      at: new Date(Math.max(Date.now(), this.#earliest)),
      ...own,
    });
    this.#timer ??= setTimeout(() => this.flush(), FIRST_WRITE_MS);
  }
}

/** Returns the traces that the workflow recorded before this activity, ready for the store. Never rejects. */
export const carriedTraces = async (deps: TraceDeps, ref: TurnActivityInput): Promise<TraceInput[]> => {
  const { records } = ref.traces ?? NOTHING_CARRIED;
  const isComplete = records.every(({ type }) => !(type in COMPLETED));
  const turn = isComplete ? undefined : await rowOf(deps, ref.turnId);
  return records.map((record) => ({
    ...toTrace(ref, record),
    ...(turn === undefined ? {} : COMPLETED[record.type]?.(turn, deps)),
  }));
};

type TraceCompletion = (turn: TurnRow, deps: TraceDeps) => Pick<TraceInput, 'summary' | 'details'>;

/** The fields that a carried record leaves out, because they are stored elsewhere. */
const COMPLETED: { readonly [Type in TraceType]?: TraceCompletion } = {
  user_message: ({ input: { content, conversationId, mode, protocol } }) => ({
    summary: content,
    details: { content, conversationId, mode, protocol },
  }),
  tool_registration: ({ input: { mode, inputs }, clientTools }, { registry }) => {
    const mayAskUser = inputs?.accepts?.includes('question') === true;
    const own = ownToolsOf({ mayAskUser, client: clientTools });
    const offered = [...registry.definitions(mode), ...ownDefinitions(own, mode)];
    const tools = offered.map((tool) => tool.function.name);
    return { summary: `${tools.length} tools`, details: { tools } };
  },
};

/** Returns the stored row of the turn. Returns undefined when it cannot be read. */
const rowOf = ({ turns }: TraceDeps, turnId: string): Promise<TurnRow | undefined> =>
  withDatabaseRetries(() => turns.find(turnId), AbortSignal.timeout(MAX_TRY_MS)).catch(() => undefined);

const toTrace = ({ turnId, projectId }: TurnActivityInput, record: CarriedTrace): TraceInput => {
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
