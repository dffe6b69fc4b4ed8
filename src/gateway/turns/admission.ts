import type { ConcurrentStarts } from './concurrent-starts.ts';

/**
 * The number of turns that one Temporal core carries; above it new turns are refused instead of all of them slowed
 * down.
 */
export const MAX_RUNNING_TURNS = 300;
/** Milliseconds that the count may be old: a start must not wait for it, and the limit need not be exact. */
const FRESH_MS = 1_000;

export interface AdmissionDeps {
  /** Returns how many turns run now, over all gateways. */
  readonly countRunning: () => Promise<number>;
  readonly starts: Pick<ConcurrentStarts, 'enter'>;
  readonly now: () => number;
}

/** Too many turns run, or too many are on their way to a worker. */
export type OverloadCause = 'running' | 'starting';

/** A turn that was let in. Call one of the two methods once its fate is certain; further calls have no effect. */
export interface AdmittedTurn {
  /** Notes that the turn's row is stored: the next count includes it. */
  stored(): void;
  /** Gives back the place of a request that starts nothing: a repeat, or one that is refused elsewhere. */
  withdraw(): void;
}

/**
 * Decides whether another turn may start. It looks at how long starts take (`ConcurrentStarts`) and at a count of
 * running turns. That count is the last one that was read, plus the turns that were admitted and cannot have been in
 * it.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  #running = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** True while a count is under way: with two of them, both would take away the same slots. */
  #isCounting = false;
  readonly #slots = new Set<{ isStored: boolean }>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Counts in the turn of `owner`, the name of an API key, or returns why not. */
  admit(turnId: string, owner: string | undefined): AdmittedTurn | OverloadCause {
    this.#refresh();
    if (this.#running + this.#slots.size >= MAX_RUNNING_TURNS) return 'running';
    const leave = this.#deps.starts.enter(turnId, owner);
    if (!leave) return 'starting';
    const slot = { isStored: false };
    this.#slots.add(slot);
    return {
      stored: () => void (slot.isStored = true),
      withdraw: () => {
        leave();
        this.#slots.delete(slot);
      },
    };
  }

  #refresh(): void {
    const now = this.#deps.now();
    if (this.#isCounting || now - this.#countedAt < FRESH_MS) return;
    this.#countedAt = now;
    void this.#count();
  }

  async #count(): Promise<void> {
    this.#isCounting = true;
    const counted = [...this.#slots].filter(({ isStored }) => isStored);
    try {
      this.#running = await this.#deps.countRunning();
      for (const slot of counted) this.#slots.delete(slot);
    } catch {
      // The last count stays; if Postgres is away, the insert finds out.
    } finally {
      this.#isCounting = false;
    }
  }
}
