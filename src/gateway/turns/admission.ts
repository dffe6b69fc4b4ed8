/** What one Temporal core carries; above it new turns are refused rather than all of them slowed. */
const MOST_RUNNING_TURNS = 300;
/** How old the count may be: a start must not wait for it, and the limit is no exact one. */
const FRESH_MS = 1_000;

export interface AdmissionDeps {
  /** Turns that run now, over all gateways. */
  readonly countRunning: () => Promise<number>;
  readonly now: () => number;
}

/** A turn that was let in; one of the two is called once it is certain. Both may be called again without effect. */
export interface Place {
  /** Its row is stored: the next count has it. */
  stored(): void;
  /** It starts nothing: a repeat, or refused elsewhere. */
  withdraw(): void;
}

/**
 * Says whether another turn may start, from a count that is refreshed beside the starts: what the last count had, and
 * everybody who was let in and cannot have been in it.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  #running = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /** With two questions in flight both answers would take away the same places. */
  #isCounting = false;
  readonly #places = new Set<{ isStored: boolean }>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Counts the turn in; undefined: too many run. */
  admit(): Place | undefined {
    this.#refresh();
    if (this.#running + this.#places.size >= MOST_RUNNING_TURNS) return undefined;
    const place = { isStored: false };
    this.#places.add(place);
    return {
      stored: () => void (place.isStored = true),
      withdraw: () => void this.#places.delete(place),
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
