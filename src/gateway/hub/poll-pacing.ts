/** First pause in milliseconds between queries, unless a lane brings all. The pauses double up to `MAX_POLL_MS`. */
const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 1_000;
/**
 * Milliseconds without events after which a turn is queried although its lane is connected, because the model may be
 * thinking, or the lane may be half dead. Temporal Cloud bills each query, so it is not sent sooner.
 */
const QUIET_LANE_MS = 5_000;
/**
 * Longest pause, in milliseconds, between queries of a turn that waits for a person, perhaps for days. The pauses begin
 * at `QUIET_LANE_MS` and double. Few queries are needed, since the turn normally opens a lane when it continues.
 */
const SLOWEST_WAITING_POLL_MS = 30_000;
/**
 * Milliseconds for which a waiting turn is queried as often as a running one, once a viewer has come or something was
 * done at this gateway that may end the wait.
 */
const EXPECTS_EVENTS_MS = 10_000;

/** What is known of a watched turn when its next poll is planned. */
export interface PolledTurn {
  /** True when its list may lack events that nobody will push. */
  readonly mayLackEvents: boolean;
  /** True when it waits for a person. */
  readonly isWaiting: boolean;
  /** True when the newest live lane of the turn is connected. */
  readonly isLaneConnected: boolean;
}

/** The times at which a watched turn is polled. All times are in milliseconds of the gateway's clock. */
export class PollPacing {
  #eventsAt: number;
  #polledAt = Number.NEGATIVE_INFINITY;
  #expectsEventsUntil = Number.NEGATIVE_INFINITY;
  /** Number of polls since events last came or were expected. The pauses grow with it, up to a maximum. */
  #emptyPolls = 0;

  /** `now` counts as the time of the last events. */
  constructor(now: number) {
    this.#eventsAt = now;
  }

  /** The time at which events last came. */
  get eventsAt(): number {
    return this.#eventsAt;
  }

  /** Called when new events came from a lane, a feed or a query. */
  noteEvents(now: number): void {
    this.#eventsAt = now;
    this.#emptyPolls = 0;
  }

  /** Called when a viewer has come, or when something was done that may end the wait of a turn. */
  expectEvents(now: number): void {
    this.#expectsEventsUntil = now + EXPECTS_EVENTS_MS;
    this.#emptyPolls = 0;
  }

  /** Called when a poll begins. */
  pollBegun(): void {
    this.#emptyPolls += 1;
  }

  /** Called when the poll has ended, whatever it brought. */
  pollEnded(now: number): void {
    this.#polledAt = now;
  }

  /** Returns the time of the next poll, which may have passed. */
  nextPollAt(now: number, { mayLackEvents, isWaiting, isLaneConnected }: PolledTurn): number {
    const pause = Math.min(FIRST_POLL_MS * 2 ** this.#emptyPolls, MAX_POLL_MS);
    if (mayLackEvents) return this.#polledAt + pause;
    const since = Math.max(this.#eventsAt, this.#polledAt);
    if (isWaiting && now >= this.#expectsEventsUntil) return since + this.#waitingPause;
    return since + (isLaneConnected ? QUIET_LANE_MS : pause);
  }

  get #waitingPause(): number {
    return Math.min(QUIET_LANE_MS * 2 ** this.#emptyPolls, SLOWEST_WAITING_POLL_MS);
  }
}
