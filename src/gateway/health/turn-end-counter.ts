import type { ProtocolName, TurnStatus } from '../../contracts/turn/turn-facts.ts';

/**
 * Largest number of turns that are remembered until their end is counted. Without a bound the memory would grow for
 * ever if nobody asks for metrics. Beyond it the oldest turn is forgotten, and its end is never counted.
 */
const MAX_OPEN = 20_000;

/** A turn that has ended, and the status it ended with. */
export interface EndedTurn {
  readonly turnId: string;
  readonly status: Exclude<TurnStatus, 'running'>;
}

export interface TurnEndCounterDeps {
  /** Returns which of the given turns have ended. */
  readonly findEndStatuses: (turnIds: readonly string[]) => Promise<readonly EndedTurn[]>;
  readonly count: (protocol: ProtocolName, status: EndedTurn['status']) => void;
}

/**
 * Counts how the turns that this gateway started have ended, each time that metrics are asked for. It asks for their
 * rows, so it also counts turns that were watched or closed elsewhere. Only the gateway that started a turn counts its
 * end, at most once.
 */
export class TurnEndCounter {
  readonly #deps: TurnEndCounterDeps;
  readonly #uncounted = new Map<string, ProtocolName>();
  #counting: Promise<void> | undefined;

  constructor(deps: TurnEndCounterDeps) {
    this.#deps = deps;
  }

  /** Notes that this gateway has started a turn, whose end is to be counted. */
  started(turnId: string, protocol: ProtocolName): void {
    this.#uncounted.set(turnId, protocol);
    if (this.#uncounted.size <= MAX_OPEN) return;
    for (const oldest of this.#uncounted.keys()) {
      this.#uncounted.delete(oldest);
      return;
    }
  }

  /** Counts the ends since the last call. Never rejects: without a database, the next call counts them. */
  countEnds(): Promise<void> {
    this.#counting ??= this.#countEnds().finally(() => (this.#counting = undefined));
    return this.#counting;
  }

  async #countEnds(): Promise<void> {
    if (this.#uncounted.size === 0) return;
    try {
      for (const { turnId, status } of await this.#deps.findEndStatuses([...this.#uncounted.keys()])) {
        const protocol = this.#uncounted.get(turnId);
        if (protocol !== undefined) this.#deps.count(protocol, status);
        this.#uncounted.delete(turnId);
      }
    } catch {
      // Whatever failed, the next call counts the ends that remain.
    }
  }
}
