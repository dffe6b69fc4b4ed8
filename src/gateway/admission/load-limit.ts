import type { ConcurrentStarts } from './concurrent-starts.ts';

/**
 * Number of running turns, over all gateways, at which further turns are refused. Turns that wait for a person do not
 * count. A turn holds a slot of a worker while its model streams. A worker has 400 slots
 * (`maxConcurrentActivityTaskExecutions` in worker/worker-options.ts), so enough are left to end turns
 * (docs/decisions/admission.md).
 */
export const MAX_RUNNING_TURNS = 300;
/**
 * Milliseconds after which the count of running turns is read again. A start does not wait for that, and the limit need
 * not be exact.
 */
const FRESH_MS = 1_000;

/**
 * Seconds after which a refused start may be tried again. `running`: nobody knows when a running turn ends. `starting`:
 * the limit changes whenever a worker takes a turn, so 1 is enough.
 */
const RETRY_AFTER_SECONDS = { running: 5, starting: 1 } as const;

export interface LoadLimitDeps {
  /** Returns how many turns run now, over all gateways, without those that wait for a person. */
  readonly countRunning: () => Promise<number>;
  readonly starts: Pick<ConcurrentStarts, 'enter'>;
  readonly now: () => number;
}

/**
 * A turn that was not let in: too many run (`running`), or too many have started and have not reached a worker yet
 * (`starting`).
 */
export interface RefusedTurn {
  readonly kind: 'refused';
  readonly cause: 'running' | 'starting';
  /** Seconds after which the start may be tried again. */
  readonly retryAfterSeconds: number;
}

/** A turn that was let in. Call exactly one of the two methods, once it is certain whether the turn is stored. */
export interface AdmittedTurn {
  readonly kind: 'admitted';
  /** Notes that the turn's row is stored, so the next count includes it. */
  stored(): void;
  /** Gives back the place of a request that stores no turn, because it is a repeat or is refused elsewhere. */
  withdraw(): void;
}

/**
 * Refuses turns while the whole system has too many, whoever asks for them. It looks at how long starts take
 * (`ConcurrentStarts`), and at the number of running turns. That number is the last count that was read, plus the turns
 * that were admitted here since and cannot be part of that count.
 */
export class LoadLimit {
  readonly #deps: LoadLimitDeps;
  #running = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  /**
   * True while a count is under way. The older one of two counts at once could arrive last, and lack turns whose slots
   * the newer one has removed.
   */
  #isCounting = false;
  /** The admitted turns that the last count cannot include. */
  readonly #slots = new Set<{ isStored: boolean }>();

  constructor(deps: LoadLimitDeps) {
    this.#deps = deps;
  }

  /** Lets a turn in and counts it, or refuses it. `owner` is the name of an API key, or undefined without one. */
  admit(turnId: string, owner: string | undefined): AdmittedTurn | RefusedTurn {
    this.#refresh();
    if (this.#running + this.#slots.size >= MAX_RUNNING_TURNS) return refused('running');
    const leave = this.#deps.starts.enter(turnId, owner);
    if (!leave) return refused('starting');
    const slot = { isStored: false };
    this.#slots.add(slot);
    return {
      kind: 'admitted',
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
      // Whatever failed, the last count stays. If Postgres is away, storing the turn fails, too.
    } finally {
      this.#isCounting = false;
    }
  }
}

const refused = (cause: RefusedTurn['cause']): RefusedTurn => ({
  kind: 'refused',
  cause,
  retryAfterSeconds: RETRY_AFTER_SECONDS[cause],
});
