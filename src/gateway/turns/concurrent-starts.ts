/** Milliseconds until a worker has a turn that are never a sign of too many turns, however quick starts have been. */
const TARGET_MS = 120;
/** A start is slow from this multiple of the quickest on: where Temporal is far away every start takes its time. */
const TARGET_FLOORS = 2.5;
const FLOOR_SPAN_MS = 30_000;
/** Milliseconds of slow starts that are no overload: a burst is over by then. */
const BURST_MS = 400;
/** Milliseconds after the last slow start after which nothing is limited any longer. */
const CALM_MS = 10_000;
/**
 * Milliseconds after which a turn that nothing was heard of is no longer waited for: its lane may be off, or it was
 * cancelled.
 */
const FORGOTTEN_MS = 10_000;
/**
 * Milliseconds without any start that was heard of, after which a forgotten turn is no sign of a stuck worker: the lane
 * may be cut.
 */
const SILENT_MS = 60_000;
const MIN_LIMIT = 3;
const GENTLEST_CUT = 0.9;

interface Start {
  readonly turnId: string;
  readonly owner: string | undefined;
  readonly at: number;
}

/**
 * Limits how many turns are on their way to a worker at once, by how long that takes
 * (docs/decisions/starts-by-latency.md). It has no I/O and no timers.
 *
 * - There is no limit while starts are quick.
 * - Once no start was quick for 0.4 s, it allows as many as keep starts quick.
 * - The limit then falls with every round that has a slow start and rises by one with every round that has none, as
 *   TCP's window does.
 * - Every owner has a share of it that others cannot take.
 */
export class ConcurrentStarts {
  readonly #now: () => number;
  /** Starts that no worker has taken yet, oldest first. */
  readonly #waiting = new Map<string, Start>();
  #limit = Infinity;
  #cutAt = Number.NEGATIVE_INFINITY;
  /** Time at which the slow starts since the last quick one began. */
  #slowSince: number | undefined;
  #slowAt = Number.NEGATIVE_INFINITY;
  #respondedAt = Number.NEGATIVE_INFINITY;
  /** The quickest starts of the present span of time and of the one before. */
  readonly #floors = { since: Number.NEGATIVE_INFINITY, current: Infinity, before: Infinity };

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Turns that may be on their way at once; `Infinity` while starts are quick. */
  get limit(): number {
    this.#calmDown();
    return this.#limit;
  }

  /**
   * Counts in a turn of `owner`; the returned function takes it back. Returns undefined when too many are on their way.
   */
  enter(turnId: string, owner: string | undefined): (() => void) | undefined {
    this.#calmDown();
    // A repeat starts nothing; the turn itself is counted already.
    if (this.#waiting.has(turnId)) return () => {};
    if (this.#waiting.size >= this.#limit && !this.#hasShare(owner)) return undefined;
    const start: Start = { turnId, owner, at: this.#now() };
    this.#waiting.set(turnId, start);
    return () => {
      if (this.#waiting.get(turnId) === start) this.#waiting.delete(turnId);
    };
  }

  /**
   * Notes that a worker has the turn. Returns the milliseconds since it entered. Returns undefined when it was heard of
   * already, or is not known.
   */
  heard(turnId: string): number | undefined {
    const start = this.#waiting.get(turnId);
    if (start === undefined) return undefined;
    this.#respondedAt = this.#now();
    const latency = this.#respondedAt - start.at;
    this.#learnFloor(latency);
    if (latency > this.#target()) this.#slow(start, latency);
    else this.#quick();
    this.#waiting.delete(turnId);
    return latency;
  }

  #hasShare(owner: string | undefined): boolean {
    const owners = new Set([owner]);
    let own = 0;
    for (const start of this.#waiting.values()) {
      owners.add(start.owner);
      if (start.owner === owner) own += 1;
    }
    return own < this.#limit / owners.size;
  }

  #quick(): void {
    this.#slowSince = undefined;
    // A limit that is not used up has not been shown to be too low.
    if (this.#waiting.size >= this.#limit / 2) this.#limit += 1 / this.#limit;
  }

  #slow(start: Start, latency: number): void {
    const now = this.#now();
    this.#slowAt = now;
    this.#slowSince ??= now;
    const isBurst = this.#limit === Infinity && now - this.#slowSince < BURST_MS;
    // A start from before the last cut does not show what that cut has done.
    if (isBurst || start.at < this.#cutAt) return;
    this.#cutAt = now;
    const share = Math.min(GENTLEST_CUT, this.#target() / latency);
    this.#limit = Math.max(MIN_LIMIT, Math.min(this.#limit, this.#waiting.size) * share);
  }

  #target(): number {
    return Math.max(TARGET_MS, TARGET_FLOORS * Math.min(this.#floors.current, this.#floors.before));
  }

  #learnFloor(latency: number): void {
    const floors = this.#floors;
    const now = this.#now();
    if (now - floors.since >= FLOOR_SPAN_MS) {
      floors.since = now;
      floors.before = floors.current;
      floors.current = Infinity;
    }
    floors.current = Math.min(floors.current, latency);
  }

  #calmDown(): void {
    this.#forgetOld();
    if (this.#now() - this.#slowAt < CALM_MS) return;
    this.#limit = Infinity;
    this.#slowSince = undefined;
  }

  /** A start that is forgotten while starts are limited counts as a slow one. */
  #forgetOld(): void {
    for (const { turnId, at } of this.#waiting.values()) {
      const forgottenAt = at + FORGOTTEN_MS;
      if (forgottenAt > this.#now()) return;
      this.#waiting.delete(turnId);
      if (this.#limit === Infinity || forgottenAt - this.#respondedAt >= SILENT_MS) continue;
      this.#slowAt = Math.max(this.#slowAt, forgottenAt);
    }
  }
}
