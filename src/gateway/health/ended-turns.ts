import type { ProtocolName, TurnStatus } from '../../contracts/turn/turn-facts.ts';

/**
 * Open turns that are remembered: whoever never asks for metrics must not make this grow, and an end beyond is never
 * counted.
 */
const MAX_OPEN = 20_000;

/** A turn that has ended, and the status it ended with. */
export interface EndedTurn {
  readonly turnId: string;
  readonly status: Exclude<TurnStatus, 'running'>;
}

export interface EndedTurnsDeps {
  /** The turns among the given ones that have ended. */
  readonly endedOf: (turnIds: readonly string[]) => Promise<readonly EndedTurn[]>;
  readonly count: (protocol: ProtocolName, status: EndedTurn['status']) => void;
}

/**
 * Counts how the turns that this gateway started have ended, each time that metrics are asked for. The rows say it, so
 * turns count that were watched or closed elsewhere. Each is counted once, and by one gateway of all.
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

  /** Never rejects: without a database the ends are counted the next time. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #settle(): Promise<void> {
    if (this.#open.size === 0) return;
    try {
      for (const { turnId, status } of await this.#deps.endedOf([...this.#open.keys()])) {
        const protocol = this.#open.get(turnId);
        if (protocol !== undefined) this.#deps.count(protocol, status);
        this.#open.delete(turnId);
      }
    } catch {
      // The next question counts them.
    }
  }
}
