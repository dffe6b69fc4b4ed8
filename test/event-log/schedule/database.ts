import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { TerminalEvent } from '../../../src/contracts/wire/turn-event.ts';
import { attemptEpoch, parseEventId } from '../../../src/contracts/wire/event-id.ts';
import { fullContentOf, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import type { Parts } from './parts.ts';
import type { Rules } from './rules.ts';

export interface Close {
  readonly ownEvents: readonly EventBatch[];
  readonly terminalId: string;
  readonly terminalAfter: string | null;
  readonly isOutside: boolean;
}

interface Claim {
  readonly count: number;
  readonly scheduledAt: number;
}

/** Postgres with the claims, segments and end of one turn. Every method is one transaction. */
export class ModelDatabase {
  readonly #rules: Rules;
  readonly #parts: Parts;
  readonly #claims = new Map<number, Claim>();
  readonly #segments = new Map<number, EventBatch[]>();
  #terminal: LoggedEvent | undefined;

  constructor(rules: Rules, parts: Parts) {
    this.#rules = rules;
    this.#parts = parts;
  }

  get terminal(): LoggedEvent | undefined {
    return this.#terminal;
  }

  /**
   * Returns the epoch under which an attempt may write, and whether another attempt may have written before it. Returns
   * `superseded` when an attempt that was scheduled later has claimed the step, and `ended` when the turn has ended.
   */
  claim(
    step: number,
    number: number,
    scheduledAt: number,
  ): { epoch: number; isLater: boolean } | 'superseded' | 'ended' {
    if (this.#terminal) return 'ended';
    const before = this.#claims.get(step);
    if (this.#rules.scheduledTimeClaims && before && before.scheduledAt > scheduledAt) return 'superseded';
    const count = (before?.count ?? 0) + 1;
    this.#claims.set(step, { count, scheduledAt: Math.max(scheduledAt, before?.scheduledAt ?? 0) });
    const n = this.#rules.claimsCounted ? count : number;
    return { epoch: attemptEpoch(step, this.#rules.epochPerAttempt ? n : 1), isLater: n > 1 };
  }

  /** Stores a segment even after the end, which the product refuses: a late segment must do no harm even then. */
  put(epoch: number, batches: EventBatch[]): void {
    if (!this.#segments.has(epoch)) this.#segments.set(epoch, batches);
  }

  close(close: Close): void {
    if (this.#terminal && this.#rules.firstCloseWins) return;
    const terminal = this.terminalOf(close);
    for (const [epoch, batches] of Map.groupBy(this.#stored(close), (batch) => batch.epoch)) {
      this.put(epoch, batches);
    }
    this.#terminal = terminal;
  }

  /** Returns the terminal event that a close would store now. */
  terminalOf(close: Close): LoggedEvent {
    const fullContent = fullContentOf(this.#parts.merge([...this.#batches(), ...this.#stored(close)]));
    const usage = { promptTokens: 0, completionTokens: 0 };
    const event: TerminalEvent = close.isOutside
      ? { type: 'error', code: 'turn_ended_outside', message: '' }
      : { type: 'done', fullContent, status: 'completed', reason: 'answered', usage };
    return { id: parseEventId(close.terminalId)!, after: close.terminalAfter, event };
  }

  /** Returns what a reader of the ended turn gets. */
  endedList(): LoggedEvent[] | undefined {
    return this.#terminal && [...this.#parts.merge(this.#batches()), this.#terminal];
  }

  #stored({ ownEvents, isOutside }: Close): EventBatch[] {
    return isOutside || this.#rules.ownEventsStored ? [...ownEvents] : [];
  }

  #batches(): EventBatch[] {
    return [...this.#segments.values()].flat();
  }
}
