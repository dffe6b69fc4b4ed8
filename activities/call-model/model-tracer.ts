import type { CallModelInput, CallModelOutcome } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { LeftOut } from '../../src/contracts/model/left-out.ts';
import type { ProviderError } from '../../src/llm/provider-error.ts';
import { attemptEpoch } from '../../src/contracts/wire/event-id.ts';
import { llmCallKey, llmResultKey } from '../../src/contracts/turn/trace-keys.ts';
import type { AttemptPrompt } from './attempt-prompt.ts';
import { ActivityTracer, type TracerDeps } from '../attempt/activity-tracer.ts';
import { KIB } from '../../src/contracts/values/units.ts';

/**
 * Largest number of characters that are kept of a call's text, and of its reasoning. The reasoning is kept nowhere
 * else.
 */
const KEPT_CHARACTERS = 32 * KIB;

/** Records the traces of one attempt of a model call. */
export class ModelTracer {
  readonly #tracer: ActivityTracer;
  readonly #input: CallModelInput;
  readonly #attempt: number;
  readonly #startedAt = performance.now();
  #firstTextMs: number | undefined;
  #text = '';
  #characters = 0;
  #reasoning = '';
  #reasoningCharacters = 0;

  /**
   * Creates the tracer of one attempt. `epoch` is the one that the attempt has claimed. Results of a later attempt
   * replace those of an earlier one.
   */
  constructor(deps: TracerDeps, input: CallModelInput, epoch: number) {
    this.#input = input;
    this.#attempt = epoch - attemptEpoch(input.step, 1) + 1;
    this.#tracer = new ActivityTracer(deps, input, this.#attempt);
  }

  /**
   * Traces the call. The trace of the first attempt stays, since later attempts make the same call. The call of a model
   * that takes over has a trace of its own.
   */
  recordCall({ messages, leftOut }: Pick<AttemptPrompt, 'messages' | 'leftOut'>): void {
    const { step, model, mode, options, insteadOf } = this.#input;
    const { tools, temperature, maxTokens } = options;
    const call = {
      type: 'llm_call',
      source: 'orion',
      summary: `${model}${insteadOf === undefined ? '' : ` instead of ${insteadOf}`} · ${messages.length} messages`,
      details: {
        model,
        insteadOf,
        step,
        messages: messages.length,
        promptCharacters: messages.reduce((sum, { content }) => sum + content.length, 0),
        ...leftOutDetails(leftOut),
        mode,
        tools,
        temperature,
        maxTokens,
      },
    } as const;
    if (insteadOf === undefined) this.#tracer.addOnce({ key: llmCallKey(step), ...call });
    else this.#tracer.add({ key: `${llmCallKey(step)}.${model}`, ...call });
  }

  /** Notes text that readers were shown. */
  noteText(text: string): void {
    this.#firstTextMs ??= this.#elapsedMs();
    this.#characters += text.length;
    if (this.#text.length < KEPT_CHARACTERS) this.#text += text;
  }

  /** Notes reasoning of the model, which readers are not shown. */
  noteReasoning(text: string): void {
    this.#reasoningCharacters += text.length;
    if (this.#reasoning.length < KEPT_CHARACTERS) this.#reasoning += text;
  }

  /** Records that the provider failed. `isFinal` is true if the provider will not be asked again. */
  recordFailure(failure: ProviderError, { isFinal }: { readonly isFinal: boolean }): void {
    const { step, model } = this.#input;
    this.#tracer.add({
      key: `provider_error:${step}.${this.#attempt}`,
      type: 'system_error',
      source: 'system',
      summary: `${model}: ${failure.code}`,
      error: failure.message,
      details: {
        step,
        attempt: this.#attempt,
        code: failure.code,
        final: isFinal,
        characters: this.#characters,
        durationMs: this.#elapsedMs(),
        ...this.#reasoningDetails(),
      },
    });
  }

  /**
   * Records the result of a call that was not a failure. `cost` is in whole millionths of the currency, undefined
   * without a price. `leftOut` is what the answered prompt left out. It may be more than `recordCall` recorded, if the
   * provider found the prompt too long.
   */
  recordResult(outcome: CallModelOutcome, cost: number | undefined, leftOut: LeftOut | null): void {
    if (outcome.kind !== 'ended') return;
    const { end, usage, calls } = outcome;
    this.#tracer.add({
      key: llmResultKey(this.#input.step),
      type: 'llm_result',
      source: 'orion',
      summary: `${end} · ${this.#characters} characters`,
      details: {
        end,
        usage,
        cost,
        step: this.#input.step,
        attempt: this.#attempt,
        calls: calls.map(({ id, function: { name } }) => ({ id, name })),
        text: this.#text.slice(0, KEPT_CHARACTERS),
        characters: this.#characters,
        ...this.#reasoningDetails(),
        ...leftOutDetails(leftOut),
        firstTextMs: this.#firstTextMs,
        durationMs: this.#elapsedMs(),
      },
    });
    // Stored while the attempt waits for the storage of its segment anyway.
    this.#tracer.flush();
  }

  /** Stores the traces that wait. Resolves after `MAX_TRACE_WAIT_MS` at the latest, and never rejects. */
  close(): Promise<void> {
    return this.#tracer.close();
  }

  #reasoningDetails() {
    if (this.#reasoningCharacters === 0) return {};
    return {
      reasoning: this.#reasoning.slice(0, KEPT_CHARACTERS),
      reasoningCharacters: this.#reasoningCharacters,
    };
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/**
 * Returns the details of a trace that say which parts the prompt was sent without. They are empty for a whole prompt.
 */
const leftOutDetails = (leftOut: LeftOut | null) => (leftOut ? { leftOut } : {});
