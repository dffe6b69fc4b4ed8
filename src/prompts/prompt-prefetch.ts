import type { Clock } from '../base/timing/clock.ts';
import type { TurnToPrompt } from '../contracts/payload/turn-workflow-payloads.ts';
import type { BegunPrompt } from './prompt-service.ts';

/**
 * Time in milliseconds for which a begun prompt is kept. If nobody has taken the prompt by then, the model call
 * probably runs on another worker.
 */
const KEPT_MS = 2_000;
/** Largest number of begun prompts that are kept at a time. When it is reached, no further prompt is begun early. */
const MAX_KEPT_PROMPTS = 100;

export interface PromptPrefetchDeps {
  readonly build: (turn: TurnToPrompt) => Promise<BegunPrompt>;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Prompts that are begun while Temporal schedules the first model call of their turn. Most often the call then runs on
 * the same worker (docs/decisions/prompts-are-begun-early.md).
 */
export class PromptPrefetch {
  readonly #deps: PromptPrefetchDeps;
  readonly #begun = new Map<string, Promise<BegunPrompt>>();

  constructor(deps: PromptPrefetchDeps) {
    this.#deps = deps;
  }

  /**
   * Begins the prompt of a turn whose first model call is about to be scheduled. Does nothing if its prompt, or
   * `MAX_KEPT_PROMPTS` others, are kept already. Never throws.
   */
  begin(turn: TurnToPrompt): void {
    const { turnId } = turn;
    if (this.#begun.size >= MAX_KEPT_PROMPTS || this.#begun.has(turnId)) return;
    const building = this.#deps.build(turn);
    // `take` handles a failure. Until then it must not count as an unhandled rejection.
    building.catch(() => undefined);
    this.#begun.set(turnId, building);
    this.#deps.clock.after(KEPT_MS, () => {
      if (this.#begun.get(turnId) === building) this.#begun.delete(turnId);
    });
  }

  /**
   * Returns the prompt that was begun early, and forgets it. Builds the prompt now if it was not begun, or is no longer
   * kept, or could not be built.
   */
  async take(turn: TurnToPrompt): Promise<BegunPrompt> {
    const begun = this.#begun.get(turn.turnId);
    this.#begun.delete(turn.turnId);
    if (!begun) return this.#deps.build(turn);
    return begun.catch(() => this.#deps.build(turn));
  }
}
