import { withinDeadline } from './deadline.ts';
import type { Clock } from '../../base/timing/clock.ts';
import type { TurnLanes } from './turn-lanes.ts';
import type { TurnSources } from './turn-sources.ts';
import type { WatchedTurn } from './watched-turn.ts';

/**
 * Deadline of a workflow query. After that, a new query is likely to be answered sooner than this one (docs/turns.md
 * "Turn hub").
 */
const QUERY_DEADLINE_MS = 2_000;
/** Deadline for reading an ended turn from Postgres, and for reconciling. */
const STORE_DEADLINE_MS = 5_000;
const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 1_000;
/**
 * A connected lane may be quiet because the model thinks or because it is half dead. Each query is billed, so a
 * quiet lane is doubted only now and then.
 */
const QUIET_LANE_MS = 5_000;
/**
 * Longest pause between queries for a turn that waits for a person. That may take days, and whatever wakes the turn
 * brings a lane, so that a viewer costs a query only now and then. The turn is asked sooner if something was just done
 * here that wakes it.
 */
const SLOWEST_WAITING_POLL_MS = 30_000;
/** Milliseconds for which a waiting turn is asked as often as one that runs, after something here has woken it. */
const EXPECTS_EVENTS_MS = 10_000;
/** Milliseconds without events after which row and workflow are reconciled, since either may be gone. */
const RECONCILE_AFTER_MS = 15_000;
/** When the workflow is gone but the row is still open, the row must be reconciled soon, though not at every poll. */
const RECONCILE_GONE_AFTER_MS = 2_000;
/** The time for which a turn that nobody watches and no writer feeds is kept for a viewer that comes back. */
const KEEP_UNWATCHED_MS = 60_000;

export interface FollowerDeps {
  readonly turnId: string;
  readonly turn: WatchedTurn;
  readonly lanes: TurnLanes;
  readonly sources: TurnSources;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Called once when the entry is no longer needed: the turn has ended, or nobody watches it. */
  onDone(): void;
  onFailure(error: unknown, what: string): void;
}

/**
 * Decides when to ask for events of one turn, and which source. There is one query at a time, and none while the live
 * lane delivers or while nobody watches.
 */
export class TurnFollower {
  readonly #deps: FollowerDeps;
  /** True when the list may lack events that nobody will push, so that a query must follow at once. */
  #isStale: boolean;
  /** True when the turn may well have ended: Postgres is asked before the workflow. */
  #mayHaveEnded: boolean;
  #isPolling = false;
  readonly #stop = new AbortController();
  #eventsAt: number;
  #leftAt: number;
  #polledAt = -Infinity;
  #expectsEventsUntil = -Infinity;
  #reconciledAt = -Infinity;
  /** Rounds since the last news. Each waits longer than the one before, up to a maximum. */
  #emptyPolls = 0;
  #wakeAt = Infinity;
  #cancelTimer: () => void = () => {};

  /** `isStartedHere` says that this gateway is just starting the turn, so its empty list is complete. */
  constructor(deps: FollowerDeps, { isStartedHere }: { readonly isStartedHere: boolean }) {
    this.#deps = deps;
    this.#isStale = !isStartedHere;
    this.#mayHaveEnded = !isStartedHere;
    this.#eventsAt = deps.clock.now();
    this.#leftAt = this.#eventsAt;
  }

  /** Called when a viewer has gone. */
  viewerLeft(): void {
    this.#leftAt = this.#deps.clock.now();
  }

  /** Called when events came from the lane or a query. */
  eventsArrived(): void {
    this.#eventsAt = this.#deps.clock.now();
    this.#emptyPolls = 0;
  }

  /** Called when the terminal event was seen, but the list is not complete up to it. */
  suspectEnd(): void {
    this.#mayHaveEnded = true;
  }

  /**
   * Called when a viewer holds more than the list: the lane brought it to another gateway, or to this one before a
   * restart.
   */
  suspectBehind(): void {
    this.#isStale = true;
  }

  /** Called when a viewer has come, or something was done that may wake a turn that waits. */
  expectEvents(): void {
    this.#expectsEventsUntil = this.#deps.clock.now() + EXPECTS_EVENTS_MS;
    this.#emptyPolls = 0;
  }

  /** Plans the next query anew. Call it after a change of what the plan depends on: viewers, lanes or the list. */
  plan(): void {
    if (this.#isStopped) return;
    if (this.#deps.turn.hasEnded) this.#finish();
    else if (!this.#isPolling) this.#planNext();
  }

  /** Gives up what is in flight, and asks nothing from now on. */
  stop(): void {
    this.#stop.abort();
    this.#cancelTimer();
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  #planNext(): void {
    const now = this.#deps.clock.now();
    const at = this.#nextAt();
    if (at <= now) this.#act();
    else this.#wake(at, now);
  }

  #finish(): void {
    this.stop();
    this.#deps.onDone();
  }

  #nextAt(): number {
    const { turn, lanes } = this.#deps;
    if (!turn.hasViewers) {
      return lanes.isAnyConnected ? Infinity : Math.max(this.#eventsAt, this.#leftAt) + KEEP_UNWATCHED_MS;
    }
    const pause = Math.min(FIRST_POLL_MS * 2 ** this.#emptyPolls, MAX_POLL_MS);
    if (this.#isStale || this.#mayHaveEnded || turn.hasGap) return this.#polledAt + pause;
    const since = Math.max(this.#eventsAt, this.#polledAt);
    if (turn.isWaiting && this.#deps.clock.now() >= this.#expectsEventsUntil) {
      return since + this.#waitingPause;
    }
    return since + (lanes.isNewestConnected ? QUIET_LANE_MS : pause);
  }

  get #waitingPause(): number {
    return Math.min(QUIET_LANE_MS * 2 ** this.#emptyPolls, SLOWEST_WAITING_POLL_MS);
  }

  /** A timer that fires too early only plans again, so the hot path of a live lane touches no timer. */
  #wake(at: number, now: number): void {
    if (this.#wakeAt <= at) return;
    this.#cancelTimer();
    this.#wakeAt = at;
    if (at === Infinity) return;
    this.#cancelTimer = this.#deps.clock.after(at - now, () => {
      this.#wakeAt = Infinity;
      this.plan();
    });
  }

  #act(): void {
    if (this.#deps.turn.hasViewers) void this.#poll();
    else this.#finish();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    this.#emptyPolls += 1;
    await this.#pollSources();
    this.#polledAt = this.#deps.clock.now();
    this.#isPolling = false;
    this.plan();
  }

  async #pollSources(): Promise<void> {
    let end = this.#mayHaveEnded ? await this.#readStore() : undefined;
    if (end === 'ended' || this.#isStopped) return;
    const answer = await this.#queryWorkflow();
    if (answer === 'news' || this.#isStopped) return;
    end ??= await this.#readStore();
    if (end === 'running' && !this.#isStopped) await this.#reconcile(answer === 'gone');
  }

  async #readStore(): Promise<'ended' | 'running' | 'unknown'> {
    const answer = await this.#within(STORE_DEADLINE_MS, 'read the end of', async () => ({
      end: await this.#deps.sources.findEnded(this.#deps.turnId),
    }));
    if (!answer || this.#isStopped) return 'unknown';
    this.#mayHaveEnded = false;
    if (!answer.end) return 'running';
    this.#deps.turn.finish(answer.end.events);
    return 'ended';
  }

  /** Reads all pages of events that the workflow has; returns `gone` when it has ended. */
  async #queryWorkflow(): Promise<'news' | 'nothing' | 'gone'> {
    const { turn, sources, turnId } = this.#deps;
    for (let hasNews = false; ;) {
      const page = await this.#within(QUERY_DEADLINE_MS, 'query', (signal) =>
        sources.queryEvents(turnId, turn.lastId, signal),
      );
      if (!page || this.#isStopped) return hasNews ? 'news' : 'nothing';
      const taken = turn.addBatches(page.batches);
      if (taken.hasNews) this.eventsArrived();
      hasNews ||= taken.hasNews;
      if (page.more && taken.hasNews) continue;
      this.#isStale = false;
      if (page.isClosed) return 'gone';
      return hasNews ? 'news' : 'nothing';
    }
  }

  async #reconcile(isGone: boolean): Promise<void> {
    const now = this.#deps.clock.now();
    const due = isGone
      ? this.#reconciledAt + RECONCILE_GONE_AFTER_MS
      : Math.max(this.#eventsAt, this.#reconciledAt) + RECONCILE_AFTER_MS;
    if (now < due) return;
    this.#reconciledAt = now;
    await this.#within(STORE_DEADLINE_MS, 'reconcile', () => this.#deps.sources.reconcile(this.#deps.turnId));
  }

  #within<T>(ms: number, what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const onFailure = (error: unknown): void => this.#deps.onFailure(error, what);
    return withinDeadline({ clock: this.#deps.clock, ms, stop: this.#stop.signal, onFailure }, work);
  }
}
