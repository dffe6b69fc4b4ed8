import type { ConcurrentStarts } from './concurrent-starts.ts';

/**
 * The number of turns that one Temporal core carries; above it new turns are refused rather than all of them slowed.
 */
export const MAX_RUNNING_TURNS = 300;
/** Milliseconds that the count may be old: a start must not wait for it, and the limit is no exact one. */
const FRESH_MS = 1_000;

export interface AdmissionDeps {
  /** Turns that run now, over all gateways. */
  readonly countRunning: () => Promise<number>;
  readonly starts: Pick<ConcurrentStarts, 'enter'>;
  readonly now: () => number;
}

/** Too many turns run, or too many are on their way to a worker. */
export type OverloadCause = 'running' | 'starting';

/** A turn that was let in; one of the two is called once it is certain. Both may be called again without effect. */
export interface AdmittedTurn {
  /** Tells that the turn's row is stored: the next count has it. */
  stored(): void;
  /** Gives the place back of a request that starts nothing: a repeat, or refused elsewhere. */
  withdraw(): void;
}

/**
 * Says whether another turn may start: from how long starts take (`ConcurrentStarts`), and from a count that is
 * refreshed beside them, which is what the last count had, and everybody who was let in and cannot have been in it.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  #running = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** Whether a count is under way: with two, both answers would take away the same places. */
  #isCounting = false;
  readonly #places = new Set<{ isStored: boolean }>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Counts the turn of `owner`, the name of an API key, in; or says why not. */
  admit(turnId: string, owner: string | undefined): AdmittedTurn | OverloadCause {
    this.#refresh();
    if (this.#running + this.#places.size >= MAX_RUNNING_TURNS) return 'running';
    const leave = this.#deps.starts.enter(turnId, owner);
    if (!leave) return 'starting';
    const place = { isStored: false };
    this.#places.add(place);
    return {
      stored: () => void (place.isStored = true),
      withdraw: () => {
        leave();
        this.#places.delete(place);
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
    const counted = [...this.#places].filter(({ isStored }) => isStored);
    try {
      this.#running = await this.#deps.countRunning();
      for (const place of counted) this.#places.delete(place);
    } catch {
      // The last count stands; Postgres says what it has to say at the insert.
    } finally {
      this.#isCounting = false;
    }
  }
}
