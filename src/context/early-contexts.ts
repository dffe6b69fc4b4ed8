import type { Clock } from '../base/timing/clock.ts';
import type { TurnOfContext } from '../contracts/payload/turn-workflow-payloads.ts';
import type { BegunPrompt } from './context-service.ts';

/** Milliseconds after which the first model call of a turn has gone to another worker. */
const KEPT_MS = 2_000;
const MAX_KEPT_PROMPTS = 100;

export interface EarlyContextsDeps {
  readonly build: (turn: TurnOfContext) => Promise<BegunPrompt>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Beginnings of prompts, built while Temporal stores that the first model call is to run, which is most often here. */
export class EarlyContexts {
  readonly #deps: EarlyContextsDeps;
  readonly #begun = new Map<string, Promise<BegunPrompt>>();

  constructor(deps: EarlyContextsDeps) {
    this.#deps = deps;
  }

  /** Begins the prompt of a turn whose first model call is about to be scheduled. Never throws. */
  begin(turn: TurnOfContext): void {
    const { turnId } = turn;
    if (this.#begun.size >= MAX_KEPT_PROMPTS || this.#begun.has(turnId)) return;
    const building = this.#deps.build(turn);
    building.catch(() => undefined);
    this.#begun.set(turnId, building);
    this.#deps.clock.after(KEPT_MS, () => {
      if (this.#begun.get(turnId) === building) this.#begun.delete(turnId);
    });
  }

  /** Returns the prompt that was begun early, once; builds it now when there is none, or it failed. */
  async take(turn: TurnOfContext): Promise<BegunPrompt> {
    const begun = this.#begun.get(turn.turnId);
    this.#begun.delete(turn.turnId);
    if (!begun) return this.#deps.build(turn);
    return begun.catch(() => this.#deps.build(turn));
  }
}
