import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { ApiError } from '../errors/api-error.ts';

/** Nobody knows when a turn ends: this is soon enough not to lose time, and late enough not to ask all the time. */
const RETRY_AFTER_SECONDS = 5;

export interface RunningTurnLimitDeps {
  /** Turns of one key that may run at once. 0 means no limit. */
  readonly limits: Readonly<Record<ProtocolName, number>>;
  /** Ids of the turns of a key that run now, over all gateways. */
  readonly listRunning: (key: string, protocol: ProtocolName) => Promise<readonly string[]>;
}

interface StartingTurn {
  readonly turnId: string;
  readonly protocol: ProtocolName;
}

/** Holds every key to its number of turns that run at once. */
export class RunningTurnLimit {
  readonly #deps: RunningTurnLimitDeps;
  /** Turns that were let in and may not be stored yet, by key and protocol. */
  readonly #starting = new Map<string, Set<string>>();

  constructor(deps: RunningTurnLimitDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a turn until the returned function is called. Call it once the turn's row is stored. Throws `rate_limited`.
   */
  async reserve(key: string, { turnId, protocol }: StartingTurn): Promise<() => void> {
    const limit = this.#deps.limits[protocol];
    if (limit === 0) return () => {};
    const slot = `${protocol} ${key}`;
    const starting = this.#starting.get(slot) ?? new Set();
    // Noted before the rows are counted: a later start then sees this one here, and an earlier one is here or has its
    // row.
    const others = [...starting].filter((id) => id !== turnId);
    this.#starting.set(slot, starting.add(turnId));
    const release = (): void => {
      starting.delete(turnId);
      if (starting.size === 0) this.#starting.delete(slot);
    };
    try {
      const running = new Set([...others, ...(await this.#deps.listRunning(key, protocol))]);
      if (running.size < limit || running.has(turnId)) return release;
      throw new ApiError('rate_limited', `At most ${limit} ${protocol} turns of one key may run at once.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    } catch (error) {
      release();
      throw error;
    }
  }
}
