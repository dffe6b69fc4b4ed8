/** What one Temporal core carries; above it new turns are refused rather than all of them slowed. */
const MOST_RUNNING_TURNS = 300;
/** How old the count may be: a start must not wait for it, and the limit is no exact one. */
const FRESH_MS = 1_000;

export interface AdmissionDeps {
  /** Turns that run now, over all gateways. */
  readonly countRunning: () => Promise<number>;
  readonly now: () => number;
}

/** Says whether another turn may start, from a count that is refreshed beside the starts. */
export class Admission {
  readonly #deps: AdmissionDeps;
  #running = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #admitted = 0;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Counts the turn in. A count that fails leaves the last one: Postgres will say so at the insert. */
  admit(): boolean {
    this.#refresh();
    if (this.#running + this.#admitted >= MOST_RUNNING_TURNS) return false;
    this.#admitted += 1;
    return true;
  }

  #refresh(): void {
    const now = this.#deps.now();
    if (now - this.#countedAt < FRESH_MS) return;
    this.#countedAt = now;
    void this.#count(this.#admitted);
  }

  async #count(before: number): Promise<void> {
    try {
      this.#running = await this.#deps.countRunning();
      // Those admitted since the question was sent may not be in the answer yet.
      this.#admitted -= before;
    } catch {
      // The last count stands; Postgres says what it has to say at the insert.
    }
  }
}
