import type { Budgets } from '../../contracts/turn/budgets.ts';
import type { WallClock } from '../ports/wall-clock.ts';
import type { ProtocolExecutionContext } from './execution-context.ts';
import { type GrantedBudgets, grantMore, initialGrants, type TurnGrant } from './grant.ts';
import { createCounters, type StopFacts, type TurnCounters } from './stop-policy.ts';

/** Milliseconds that a forced answer has when the turn's own time is over (docs/protocol.md "What counts"). */
const FORCED_ANSWER_MS = 60_000;

/** The clock of a turn that was given none. No time passes on it, so no time limit is reached. */
const STOPPED_CLOCK: WallClock = { now: () => 0 };

/**
 * Measures what a turn has used of its budgets: counters, tokens and time. Numbers such as I7 are those of
 * docs/protocol.md "Invariants".
 */
export class TurnMeter {
  readonly clock: WallClock;
  readonly #context: ProtocolExecutionContext;
  readonly #counters = createCounters();
  #granted: GrantedBudgets;
  /** When the turn started, in milliseconds of its clock, plus the time that it has waited for people since. */
  #startedAt: number;

  /** The turn starts now, by the clock of its context. */
  constructor(context: ProtocolExecutionContext) {
    this.#context = context;
    this.clock = context.clock ?? STOPPED_CLOCK;
    this.#granted = initialGrants(context.config);
    this.#startedAt = this.clock.now();
  }

  /** What was counted so far. The object changes with the turn. */
  get counters(): Readonly<TurnCounters> {
    return this.#counters;
  }

  /** Raises a counter by `by`, which is not negative (I7). */
  count(counter: Exclude<keyof TurnCounters, 'idlePointsCleared'>, by = 1): void {
    this.#counters[counter] += by;
  }

  /** Notes that the turn has made progress: idle points so far no longer count. */
  clearIdlePoints(): void {
    this.#counters.idlePointsCleared = this.#counters.noProgressPoints;
  }

  /** The turn's budgets, with what was granted beyond them. */
  get budgets(): Budgets {
    return this.#granted.budgets;
  }

  /** Raises the budgets as `grantMore` says; limits of waste count from here. */
  grant(grant: TurnGrant): void {
    this.#granted = this.#after(grant);
  }

  /** What the rules of `stop-policy.ts` decide by, as of now. */
  get stopFacts(): StopFacts {
    return this.#stopFactsOf(this.#granted);
  }

  /** Returns what `stopFacts` would be after this grant, and changes nothing. */
  stopFactsAfter(grant: TurnGrant): StopFacts {
    return this.#stopFactsOf(this.#after(grant));
  }

  /** Number of tokens that the model may still write in this turn. Tokens of prompts do not count. */
  get tokensLeft(): number {
    return Math.max(0, this.budgets.maxTurnTokens - this.#counters.tokens);
  }

  /**
   * Returns the time at which the next call must be over, by the turn's clock. `isForcedAnswer` is true for a model
   * call that may continue after the turn's time has run out: it then gets `FORCED_ANSWER_MS` from now. Without a clock
   * there is no deadline (`MAX_SAFE_INTEGER`).
   */
  deadline({ isForcedAnswer = false } = {}): number {
    if (this.#context.clock === undefined) return Number.MAX_SAFE_INTEGER;
    return isForcedAnswer && this.isOutOfTime ? this.clock.now() + FORCED_ANSWER_MS : this.#deadline;
  }

  /** True when the turn's own time is over, or has cut a model call off since the latest grant of time. */
  get isOutOfTime(): boolean {
    const { timeCuts } = this.#granted.countersAtGrant;
    return this.#counters.timeCuts > timeCuts || this.clock.now() >= this.#deadline;
  }

  /** Excludes milliseconds during which the turn waited for a person. They do not count as its time (I10). */
  excludeWaiting(ms: number): void {
    this.#startedAt += ms;
  }

  get #deadline(): number {
    return this.#startedAt + this.budgets.maxTurnMs;
  }

  #after(grant: TurnGrant): GrantedBudgets {
    return grantMore(this.#granted, this.#counters, this.#context.config, grant);
  }

  #stopFactsOf({ budgets, countersAtGrant }: GrantedBudgets): StopFacts {
    const elapsedMs = this.clock.now() - this.#startedAt;
    return { counters: this.#counters, countersAtGrant, budgets, elapsedMs };
  }
}
