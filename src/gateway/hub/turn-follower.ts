import { BoundedSources, type BoundedSourcesDeps } from './bounded-sources.ts';
import type { Clock } from '../../base/timing/clock.ts';
import { PollPacing } from './poll-pacing.ts';
import type { TurnLanes } from './turn-lanes.ts';
import type { WatchedTurn } from './watched-turn.ts';

/** Milliseconds without events after which a turn is reconciled, even if its workflow is not known to be gone. */
const RECONCILE_AFTER_MS = 15_000;
/** Milliseconds between two attempts to reconcile a turn whose workflow is gone while its row is still open. */
const RECONCILE_GONE_AFTER_MS = 2_000;
/** Milliseconds for which a turn without viewers and without a connected lane is kept for a viewer that comes back. */
const KEEP_UNWATCHED_MS = 60_000;

export interface FollowerDeps extends Omit<BoundedSourcesDeps, 'stop'> {
  readonly turn: WatchedTurn;
  readonly lanes: TurnLanes;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Called at most once, when the hub no longer needs the turn: it has ended, or nobody has watched it for a while. */
  onDone(): void;
}

/**
 * Decides when to ask for events of one turn, and which source. At most one query is under way. None is sent while
 * nobody watches, nor while the live lane delivers and the list lacks nothing.
 */
export class TurnFollower {
  readonly #deps: FollowerDeps;
  readonly #sources: BoundedSources;
  readonly #pacing: PollPacing;
  /** True when the list may lack events that nobody will push. The next query then follows soon. */
  #isStale: boolean;
  /** True when the turn may well have ended. Postgres is then asked before the workflow. */
  #mayHaveEnded: boolean;
  #isPolling = false;
  readonly #stop = new AbortController();
  #leftAt: number;
  #reconciledAt = Number.NEGATIVE_INFINITY;
  #wakeAt = Infinity;
  #cancelTimer: () => void = () => {};

  /** `isStartedHere` says that this gateway is just starting the turn, so its empty list is complete. */
  constructor(deps: FollowerDeps, { isStartedHere }: { readonly isStartedHere: boolean }) {
    this.#deps = deps;
    this.#sources = new BoundedSources({ ...deps, stop: this.#stop.signal });
    this.#isStale = !isStartedHere;
    this.#mayHaveEnded = !isStartedHere;
    this.#leftAt = deps.clock.now();
    this.#pacing = new PollPacing(this.#leftAt);
  }

  /** Called when a viewer has gone. */
  viewerLeft(): void {
    this.#leftAt = this.#deps.clock.now();
  }

  /** Called when the list has got new events. The pauses between queries become short again. */
  noteEvents(): void {
    this.#pacing.noteEvents(this.#deps.clock.now());
  }

  /** Called when the terminal event was seen, but the list is not complete up to it. */
  suspectEnd(): void {
    this.#mayHaveEnded = true;
  }

  /**
   * Called when a viewer names a later event than the list has. Another gateway has sent it that event, or this one did
   * before it restarted.
   */
  suspectBehind(): void {
    this.#isStale = true;
  }

  /**
   * Called when a viewer has come, or when something was done that may end the wait of a turn. For some seconds the
   * turn is queried as often as one that runs.
   */
  expectEvents(): void {
    this.#pacing.expectEvents(this.#deps.clock.now());
  }

  /**
   * Sends the next query if its time has come, otherwise plans it anew. Ends the follower if the turn has ended. Call
   * it after every change of viewers, lanes or the list, on which the plan depends.
   */
  plan(): void {
    if (this.#isStopped) return;
    if (this.#deps.turn.hasEnded) this.#finish();
    else if (!this.#isPolling) this.#planNext();
  }

  /** Ends the query that is under way, if there is one, and sends no other. */
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
      return lanes.isAnyConnected
        ? Infinity
        : Math.max(this.#pacing.eventsAt, this.#leftAt) + KEEP_UNWATCHED_MS;
    }
    return this.#pacing.nextPollAt(this.#deps.clock.now(), {
      mayLackEvents: this.#isStale || this.#mayHaveEnded || turn.hasGap,
      isWaiting: turn.isWaiting,
      isLaneConnected: lanes.isNewestConnected,
    });
  }

  /**
   * Sets the timer unless an earlier one is set. A timer that fires too early only plans again, so an event from a live
   * lane, which puts off the next query, need not touch the timer.
   */
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
    this.#pacing.pollBegun();
    try {
      await this.#pollSources();
    } catch (error) {
      this.#deps.onFailure(error, 'take the events of');
    }
    this.#pacing.pollEnded(this.#deps.clock.now());
    this.#isPolling = false;
    this.plan();
  }

  /** Asks Postgres before the workflow if the turn may have ended, otherwise after a workflow without news. */
  async #pollSources(): Promise<void> {
    let end = this.#mayHaveEnded ? await this.#readStore() : undefined;
    if (end === 'ended' || this.#isStopped) return;
    const queried = await this.#queryWorkflow();
    if (queried === 'news' || this.#isStopped) return;
    end ??= await this.#readStore();
    if (end === 'running' && !this.#isStopped) await this.#reconcile(queried === 'gone');
  }

  async #readStore(): Promise<'ended' | 'running' | 'unknown'> {
    const end = await this.#sources.readEnd();
    if (!end || this.#isStopped) return 'unknown';
    this.#mayHaveEnded = false;
    if (!end.events) return 'running';
    this.#deps.turn.finish(end.events);
    return 'ended';
  }

  /** Reads the workflow's events page by page. Returns `gone`, news or not, if the workflow has ended or is unknown. */
  async #queryWorkflow(): Promise<'news' | 'nothing' | 'gone'> {
    const { turn } = this.#deps;
    let hasNews = false;
    for (;;) {
      const page = await this.#sources.queryEvents(turn.lastId);
      if (!page || this.#isStopped) return hasNews ? 'news' : 'nothing';
      const addition = turn.addBatches(page.batches);
      if (addition.hasNews) this.noteEvents();
      hasNews ||= addition.hasNews;
      // Without news the next page would be this one again.
      if (page.more && addition.hasNews) continue;
      this.#isStale = false;
      if (page.isClosed) return 'gone';
      return hasNews ? 'news' : 'nothing';
    }
  }

  async #reconcile(isGone: boolean): Promise<void> {
    const now = this.#deps.clock.now();
    const due = isGone
      ? this.#reconciledAt + RECONCILE_GONE_AFTER_MS
      : Math.max(this.#pacing.eventsAt, this.#reconciledAt) + RECONCILE_AFTER_MS;
    if (now < due) return;
    this.#reconciledAt = now;
    await this.#sources.reconcile();
  }
}
