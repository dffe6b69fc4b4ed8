/**
 * Milliseconds that a start may take without being slow, however quick other starts have been. A start begins when its
 * turn is admitted, and ends when the turn reaches a worker, which then opens the turn's lane.
 */
const TARGET_MS = 120;
/**
 * A start is slow if it takes more than `TARGET_MS`, and more than this multiple of the quickest recent one. Where
 * Temporal is far away, every start takes long.
 */
const SLOW_MULTIPLE = 2.5;
/**
 * Shortest length, in milliseconds, of the spans of time for which the quickest start is noted. The quickest recent
 * start is that of the present span or of the one before.
 */
const QUICKEST_SPAN_MS = 30_000;
/** Milliseconds for which starts may be slow before they are limited, since a burst is over by then. */
const BURST_MS = 400;
/** Milliseconds after the last slow start after which starts are no longer limited. */
const CALM_MS = 10_000;
/**
 * Milliseconds after which a turn that has reached no worker is no longer waited for, because the lane may be off, or
 * the turn was cancelled.
 */
const FORGOTTEN_MS = 10_000;
/**
 * Once no turn has reached a worker for this number of milliseconds, a forgotten turn no longer counts as a slow start,
 * because the lane may be cut.
 */
const SILENT_MS = 60_000;
/** Lower bound of the limit. This number of turns may be starting at any time. */
const MIN_LIMIT = 3;
/** A slow start leaves at most this part of the limit, unless that is below `MIN_LIMIT`. */
const GENTLEST_CUT = 0.9;

interface Start {
  readonly turnId: string;
  readonly owner: string | undefined;
  readonly at: number;
}

/**
 * Limits how many turns may be starting at once, which means that they have not reached a worker yet. The limit depends
 * on how long starts take (docs/decisions/starts-by-latency.md). It has no I/O and no timers.
 *
 * - The limit begins when starts have been slow for `BURST_MS` without a quick one among them. It is then the number of
 *   starts that would have been quick. It ends when no start has been slow for `CALM_MS`.
 * - Meanwhile the limit falls with every round that has a slow start, as TCP's window does. A round is the time in
 *   which as many turns start as the limit allows. Quick starts raise it by one per round, if at least half of it is
 *   used.
 * - Every owner has a share of the limit that others cannot take.
 */
export class ConcurrentStarts {
  readonly #now: () => number;
  /** The turns that have not reached a worker yet, oldest first. */
  readonly #waiting = new Map<string, Start>();
  #limit = Infinity;
  /** Time at which a slow start last set the limit. */
  #cutAt = Number.NEGATIVE_INFINITY;
  /** Time of the first slow start since the last quick one. Undefined if there is none. */
  #slowSince: number | undefined;
  /** Time of the last slow start. A forgotten start may count as one (`#forgetOld`). */
  #slowAt = Number.NEGATIVE_INFINITY;
  /** Time at which a turn last reached a worker. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  /** The quickest starts of the present span of time and of the one before, in milliseconds. */
  readonly #quickestMs = { since: Number.NEGATIVE_INFINITY, current: Infinity, before: Infinity };

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Largest number of turns that may be starting at once. `Infinity` while there is no limit. */
  get limit(): number {
    this.#liftLimitIfCalm();
    return this.#limit;
  }

  /**
   * Counts a turn of `owner` as starting, and returns a function that takes this back. Returns undefined when too many
   * turns are starting and the owner has used its share.
   */
  enter(turnId: string, owner: string | undefined): (() => void) | undefined {
    this.#liftLimitIfCalm();
    // A repeat starts nothing: its turn is counted already.
    if (this.#waiting.has(turnId)) return () => {};
    if (this.#waiting.size >= this.#limit && !this.#hasShare(owner)) return undefined;
    const start: Start = { turnId, owner, at: this.#now() };
    this.#waiting.set(turnId, start);
    return () => {
      if (this.#waiting.get(turnId) === start) this.#waiting.delete(turnId);
    };
  }

  /**
   * Notes that the turn has reached a worker. Returns the milliseconds since `enter`, or undefined for a turn that is
   * not starting: it reached one before, was forgotten, or is unknown.
   */
  reachedWorker(turnId: string): number | undefined {
    const start = this.#waiting.get(turnId);
    if (start === undefined) return undefined;
    this.#reachedAt = this.#now();
    const latency = this.#reachedAt - start.at;
    this.#noteLatency(latency);
    if (latency > this.#targetMs()) this.#noteSlow(start, latency);
    else this.#noteQuick();
    this.#waiting.delete(turnId);
    return latency;
  }

  #hasShare(owner: string | undefined): boolean {
    const owners = new Set([owner]);
    let ownStarts = 0;
    for (const start of this.#waiting.values()) {
      owners.add(start.owner);
      if (start.owner === owner) ownStarts += 1;
    }
    return ownStarts < this.#limit / owners.size;
  }

  #noteQuick(): void {
    this.#slowSince = undefined;
    // A limit of which less than half is used has not been shown to be too low.
    if (this.#waiting.size >= this.#limit / 2) this.#limit += 1 / this.#limit;
  }

  #noteSlow(start: Start, latency: number): void {
    const now = this.#now();
    this.#slowAt = now;
    this.#slowSince ??= now;
    const isBurst = this.#limit === Infinity && now - this.#slowSince < BURST_MS;
    // A start from before the last cut does not show what that cut has done.
    if (isBurst || start.at < this.#cutAt) return;
    this.#cutAt = now;
    const share = Math.min(GENTLEST_CUT, this.#targetMs() / latency);
    this.#limit = Math.max(MIN_LIMIT, Math.min(this.#limit, this.#waiting.size) * share);
  }

  #targetMs(): number {
    return Math.max(TARGET_MS, SLOW_MULTIPLE * Math.min(this.#quickestMs.current, this.#quickestMs.before));
  }

  #noteLatency(latency: number): void {
    const quickest = this.#quickestMs;
    const now = this.#now();
    if (now - quickest.since >= QUICKEST_SPAN_MS) {
      quickest.since = now;
      quickest.before = quickest.current;
      quickest.current = Infinity;
    }
    quickest.current = Math.min(quickest.current, latency);
  }

  #liftLimitIfCalm(): void {
    this.#forgetOld();
    if (this.#now() - this.#slowAt < CALM_MS) return;
    this.#limit = Infinity;
    this.#slowSince = undefined;
  }

  /**
   * Forgets starts that have been waited for long enough. While starts are limited, each of them counts as a slow one,
   * unless no turn has reached a worker for `SILENT_MS`.
   */
  #forgetOld(): void {
    for (const { turnId, at } of this.#waiting.values()) {
      const forgottenAt = at + FORGOTTEN_MS;
      if (forgottenAt > this.#now()) return;
      this.#waiting.delete(turnId);
      if (this.#limit === Infinity || forgottenAt - this.#reachedAt >= SILENT_MS) continue;
      this.#slowAt = Math.max(this.#slowAt, forgottenAt);
    }
  }
}
