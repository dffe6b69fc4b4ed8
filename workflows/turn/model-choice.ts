import { patched } from '@temporalio/workflow';
import type { FallbackModel } from '../../src/contracts/model/fallback-model.ts';
import type { CallModelInput, CallModelOutcome } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { chooseFallback } from './choose-fallback.ts';
import type { TurnRun } from './turn-run.ts';

/** The model that a step calls, and the models that may still take over from it. */
export interface CalledModel {
  /** The model, the largest number of tokens that its prompt may have, and the model that it replaces. */
  readonly call: Pick<CallModelInput, 'model' | 'insteadOf' | 'maxPromptTokens'>;
  /** The models are in the order in which they are tried. */
  readonly fallbacksLeft: readonly FallbackModel[];
}

/**
 * The choice among a turn's own model and its fallbacks. A fallback that has taken over stays for the rest of the turn
 * (docs/decisions/fallbacks-stay-for-the-turn.md).
 */
export class ModelChoice {
  readonly #run: Pick<TurnRun, 'input' | 'cancellation' | 'steering'>;
  /** The model that took over last, which later steps call first. Undefined while no model has taken over. */
  #fallback: FallbackModel | undefined;

  constructor(run: Pick<TurnRun, 'input' | 'cancellation' | 'steering'>) {
    this.#run = run;
  }

  /**
   * Returns the model that a step calls first, and those that may take over, each once. The turn's own model may take
   * over prompts of any length, since they are built to fit it.
   */
  first(): CalledModel {
    const { model, fallbacks = [] } = this.#run.input;
    const fallback = this.#fallback;
    if (fallback === undefined) return { call: { model }, fallbacksLeft: fallbacks };
    const own = { model, promptTokens: Number.MAX_SAFE_INTEGER };
    const fallbacksLeft = [own, ...fallbacks].filter((other) => other.model !== fallback.model);
    return { call: fallback.model === model ? { model } : callOf(fallback), fallbacksLeft };
  }

  /**
   * Returns the model that takes over from `called` after `outcome`, or undefined if the outcome is final. `deadline`
   * is the end of the turn's time, in milliseconds since 1970. Another model is called only after
   * `model_unavailable`, while the turn has time and nothing has interrupted it, and only if the prompt fits into that
   * model's window.
   */
  next(
    { call, fallbacksLeft }: CalledModel,
    outcome: CallModelOutcome,
    deadline: number,
  ): CalledModel | undefined {
    const { cancellation, steering } = this.#run;
    if (outcome.kind !== 'failed' || outcome.code !== 'model_unavailable') return undefined;
    if (outcome.promptTokens === undefined || Date.now() >= deadline) return undefined;
    if (cancellation.isRequested || steering.queue.hasInterrupt) return undefined;
    const fallback = chooseFallback(fallbacksLeft, outcome.promptTokens);
    // `patched` is called only where another call would follow, so that a turn which older code has ended here replays
    // to the same end.
    if (fallback === undefined || !patched('models-take-over')) return undefined;
    this.#fallback = fallback;
    return { call: { ...callOf(fallback), insteadOf: call.model }, fallbacksLeft: fallback.remaining };
  }
}

const callOf = ({ model, promptTokens }: FallbackModel): CalledModel['call'] => ({
  model,
  maxPromptTokens: promptTokens,
});
