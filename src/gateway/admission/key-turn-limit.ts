import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { ApiError } from '../errors/api-error.ts';

/**
 * Seconds after which a refused start may be tried again. Nobody knows when a turn ends. This is soon enough not to
 * lose time, and late enough not to ask all the time.
 */
const RETRY_AFTER_SECONDS = 5;

export interface KeyTurnLimitDeps {
  /** Largest number of turns of one key that run at once, by protocol. 0 means no limit. */
  readonly limits: Readonly<Record<ProtocolName, number>>;
  /** Returns the ids of the running turns of a key, over all gateways, without those that wait for a person. */
  readonly listRunning: (key: string, protocol: ProtocolName) => Promise<readonly string[]>;
}

interface StartingTurn {
  readonly turnId: string;
  readonly protocol: ProtocolName;
}

/**
 * Limits how many turns of a key run at once. Starts that are under way at other gateways are not seen, so that a key
 * may briefly have a few more.
 */
export class KeyTurnLimit {
  readonly #deps: KeyTurnLimitDeps;
  /**
   * The turns that were let in and may not be stored yet, by protocol and key. Each has the number of its starts that
   * are under way, since a client may repeat one meanwhile.
   */
  readonly #starting = new Map<string, Map<string, number>>();

  constructor(deps: KeyTurnLimitDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a turn as running until the returned function is called. Call it once, when the turn's row is stored and
   * counts instead, or will not be stored. Rejects with `rate_limited`, or as `listRunning` does, without counting
   * the turn.
   */
  async reserve(key: string, { turnId, protocol }: StartingTurn): Promise<() => void> {
    const limit = this.#deps.limits[protocol];
    if (limit === 0) return () => {};
    const keyAndProtocol = `${protocol} ${key}`;
    const starting = this.#starting.get(keyAndProtocol) ?? new Map<string, number>();
    // Noted before the rows are counted. A later start then finds this turn here. This start finds the turns of earlier
    // starts at this gateway here or among the rows.
    const others = [...starting.keys()].filter((id) => id !== turnId);
    this.#starting.set(keyAndProtocol, starting.set(turnId, (starting.get(turnId) ?? 0) + 1));
    const release = (): void => {
      const left = (starting.get(turnId) ?? 0) - 1;
      if (left > 0) starting.set(turnId, left);
      else starting.delete(turnId);
      if (starting.size === 0) this.#starting.delete(keyAndProtocol);
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
