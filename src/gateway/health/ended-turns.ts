import type { ProtocolName, TurnStatus } from '../../contracts/turn/turn-facts.ts';

/**
 * Bounds the open turns that are remembered: without requests for metrics this would grow for ever. The end of a turn
 * beyond the bound is never counted.
 */
const MAX_OPEN = 20_000;

/** A turn that has ended, and the status it ended with. */
export interface EndedTurn {
  readonly turnId: string;
  readonly status: Exclude<TurnStatus, 'running'>;
}

export interface EndedTurnsDeps {
  /** Returns which of the given turns have ended. */
  readonly findEnded: (turnIds: readonly string[]) => Promise<readonly EndedTurn[]>;
  readonly count: (protocol: ProtocolName, status: EndedTurn['status']) => void;
}

/**
 * Counts how the turns that this gateway started have ended, each time that metrics are asked for. Their rows tell, so
 * that turns count which were watched or closed elsewhere. Each is counted once, by one gateway.
 */
export class EndedTurns {
  readonly #deps: EndedTurnsDeps;
  readonly #open = new Map<string, ProtocolName>();
  #settling: Promise<void> | undefined;

  constructor(deps: EndedTurnsDeps) {
    this.#deps = deps;
  }

  started(turnId: string, protocol: ProtocolName): void {
    this.#open.set(turnId, protocol);
    if (this.#open.size <= MAX_OPEN) return;
    for (const oldest of this.#open.keys()) {
      this.#open.delete(oldest);
      return;
    }
  }

  /** Counts the ends. Never rejects: without a database the ends are counted the next time. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #settle(): Promise<void> {
    if (this.#open.size === 0) return;
    try {
      for (const { turnId, status } of await this.#deps.findEnded([...this.#open.keys()])) {
        const protocol = this.#open.get(turnId);
        if (protocol !== undefined) this.#deps.count(protocol, status);
        this.#open.delete(turnId);
      }
    } catch {
      // Postgres did not answer: the next call counts them.
    }
  }
}
