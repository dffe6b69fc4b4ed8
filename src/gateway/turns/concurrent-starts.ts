/** Milliseconds until a worker has a turn that are no sign of too many, however quick starts have been. */
const TARGET_MS = 120;
/** Slow, as a multiple of the quickest start: where Temporal is far away every start takes its time. */
const TARGET_FLOORS = 2.5;
const FLOOR_SPAN_MS = 30_000;
/** A burst that is over by then is no overload. */
const BURST_MS = 400;
/** Time after the last slow start from which on nothing is limited any more. */
const CALM_MS = 10_000;
/** A turn that nothing was heard of for so long is no longer waited for: its lane may be off, or it was cancelled. */
const FORGOTTEN_MS = 10_000;
/**
 * Milliseconds after the last start that was heard of, from which on what is forgotten is no sign of a stuck worker:
 * the lane may be cut.
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
 * (docs/decisions/starts-by-latency.md): none while starts are quick; once none was quick for 0.4 s, as many as keep
 * them so. The limit then falls with every round that has a slow start and rises by one with every round that has none,
 * as TCP's window does. Every owner has a share of it that others cannot take. Without I/O and timers.
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
  /** Quickest starts of this span of time and of the one before. */
  readonly #floors = { since: Number.NEGATIVE_INFINITY, current: Infinity, before: Infinity };

  /** `now` in milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Turns that may be on their way at once; `Infinity` while starts are quick. */
  get limit(): number {
    this.#calmDown();
    return this.#limit;
  }

  /** Counts a turn of `owner` in; the function returned takes it back. Undefined: too many are on their way. */
  enter(turnId: string, owner: string | undefined): (() => void) | undefined {
    this.#calmDown();
    // A repeat starts nothing; the turn itself is waited for.
    if (this.#waiting.has(turnId)) return () => {};
    if (this.#waiting.size >= this.#limit && !this.#hasShare(owner)) return undefined;
    const start: Start = { turnId, owner, at: this.#now() };
    this.#waiting.set(turnId, start);
    return () => {
      if (this.#waiting.get(turnId) === start) this.#waiting.delete(turnId);
    };
  }

  /**
   * A worker has the turn. Answers the milliseconds since it entered; undefined when it was heard of before, or is not
   * known.
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
    // A limit that is not made use of is not shown to be too low.
    if (this.#waiting.size >= this.#limit / 2) this.#limit += 1 / this.#limit;
  }

  #slow(start: Start, latency: number): void {
    const now = this.#now();
    this.#slowAt = now;
    this.#slowSince ??= now;
    const isBurst = this.#limit === Infinity && now - this.#slowSince < BURST_MS;
    // A start from before the last cut does not show what the cut has done.
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

  /** While starts are limited a forgotten one was slow. */
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
