import { ActivityFailure, isCancellation, patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities.ts';
import type { CallModelInput, CallModelResult } from '../src/contracts/payload/turn-activities.ts';
import type { ModelMessage } from '../src/contracts/model-message.ts';
import { MOST_CALLS_PER_ANSWER, type ToolDeclaration } from '../src/contracts/tool-call.ts';
import type { TurnEvent } from '../src/contracts/wire/turn-event.ts';
import { jsonBytes } from '../src/protocol/event-log/event-weight.ts';
import { ModelCallError } from '../src/protocol/turn/model-call-error.ts';
import type { AdapterEvent, AdapterOptions, LlmAdapter } from '../src/protocol/turn/ports.ts';
import { llmCallKey, llmResultKey } from '../src/protocol/turn/trace-keys.ts';
import { callModelOptions } from './activity-options.ts';
import { isTurnFenced } from './fence.ts';
import { turnRef } from './turn-context.ts';
import type { TurnContext } from './turn-context.ts';

const { callModel } = proxyActivities<Pick<Activities, 'callModel'>>({ scheduleToCloseTimeout: '1 hour' });

/**
 * Temporal refuses an input above 2 MiB by failing the workflow task again and again, and the turn would hang.
 * Only dozens of tool results in one answer come near, more than models read.
 */
const MAX_MESSAGE_BYTES = 1_750_000;

/**
 * The model port inside the workflow: one `callModel` activity per call. What the model said arrives in the log
 * by signals and by the activity's tail; the port replays it from there, so the core sees exactly what readers
 * hold (docs/architecture.md "The way of one turn").
 */
export class ActivityBackedModel implements LlmAdapter {
  /** Declarations of the tools the model named so far; see `ActivityBackedTools.describe`. */
  readonly declarations = new Map<string, ToolDeclaration>();
  readonly #turn: TurnContext;
  readonly #handedOver: { readonly step: number; readonly messages: readonly ModelMessage[] }[] = [];
  readonly #withdrawn: number[] = [];

  constructor(turn: TurnContext) {
    this.#turn = turn;
  }

  async *sendMessagesStreaming(
    messages: readonly ModelMessage[],
    options: AdapterOptions,
  ): AsyncGenerator<AdapterEvent> {
    const { log, cancellation } = this.#turn;
    const fresh = this.#fresh(messages);
    if (jsonBytes(fresh) > MAX_MESSAGE_BYTES) {
      throw new ModelCallError(
        'model_context_length',
        'The tool results are more than a model call can take.',
      );
    }
    let result: CallModelResult;
    try {
      result = await this.#call(fresh, options);
    } catch (error) {
      if (isTurnFenced(error)) throw error;
      this.#recordLoss(error);
      log.loseStep();
      yield* replay(log.stepEvents());
      yield endWithoutResult(error, cancellation.requested, options.deadline, textOf(log.stepEvents()));
      return;
    }
    log.apply(result.tail);
    yield* replay(log.stepEvents());
    const { outcome } = result;
    if (outcome.kind === 'failed') throw new ModelCallError(outcome.code, outcome.message);
    for (const [name, declaration] of Object.entries(outcome.declarations))
      this.declarations.set(name, declaration);
    const { calls } = outcome;
    if (calls.length > 0) yield { type: 'tool_calls', calls, unbounded: isUnbounded(calls.length) };
    yield {
      type: 'done',
      fullContent: textOf(log.stepEvents()),
      finishReason: outcome.end,
      usage: outcome.usage,
    };
  }

  /**
   * What no step has handed over yet. The core may have put a line in the place of earlier messages: the steps that
   * brought those are then withdrawn.
   */
  #fresh(messages: readonly ModelMessage[]): ModelMessage[] {
    let at = 0;
    const kept = this.#handedOver.findIndex((part) => {
      const start = at;
      at += part.messages.length;
      return part.messages.some((message, i) => messages[start + i] !== message);
    });
    if (kept < 0) return messages.slice(at);
    const gone = this.#handedOver.splice(kept);
    this.#withdrawn.push(...gone.map(({ step }) => step));
    return messages.slice(this.#handedOver.reduce((sum, part) => sum + part.messages.length, 0));
  }

  async #call(messages: ModelMessage[], streamOptions: AdapterOptions): Promise<CallModelResult> {
    const { input, log, traces } = this.#turn;
    const { context: _context, ...options } = streamOptions;
    const ref = turnRef(this.#turn);
    const start = log.beginStep();
    this.#handedOver.push({ step: start.step, messages });
    const { sessionInactivityMs } = input;
    const request: CallModelInput = {
      ...ref,
      ...start,
      mode: input.mode,
      model: input.model,
      messages,
      ...(this.#withdrawn.length === 0 ? {} : { withdrawn: [...this.#withdrawn] }),
      ...(sessionInactivityMs === undefined ? {} : { sessionInactivityMs }),
      options,
    };
    const summary = `${this.#turn.state.phaseLabel} · ${input.model}`;
    const activity = callModelOptions(summary, options.deadline - Date.now(), input.heartbeatTimeoutMs);
    const result = await this.#turn.waiting.for(`the model: activity callModel "${summary}"`, () =>
      callModel.executeWithOptions(activity, [request]),
    );
    traces.stored(ref.traces);
    return result;
  }

  /** The activity may not even have begun; it records what it could, this stands for the rest. */
  #recordLoss(error: unknown): void {
    const { log, traces } = this.#turn;
    const why = error instanceof Error ? error.message : String(error);
    traces.recordLost(
      { key: llmCallKey(log.step), type: 'llm_call', source: 'orion', summary: 'model call' },
      { key: llmResultKey(log.step), type: 'llm_result', source: 'orion', summary: 'lost', error: why },
    );
  }
}

/**
 * Turns that were begun before answers had a bound run every call of an answer, and replay so. Asked only of such an
 * answer: no other turn has a marker in its history.
 */
const isUnbounded = (calls: number): boolean =>
  calls > MOST_CALLS_PER_ANSWER && !patched('calls-are-bounded');

/**
 * In one piece: every event costs the core's nested generators dozens of promises, and the sandbox takes a stack
 * trace for each. 3,000 chunks one by one took a workflow task beyond its timeout, and the turn never ended.
 */
function* replay(events: readonly TurnEvent[]): Generator<AdapterEvent> {
  const content = textOf(events);
  if (content !== '') yield { type: 'chunk', content };
}

const textOf = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'chunk' ? event.content : '')).join('');

/** The activity is gone (cancelled before it began, out of attempts, out of time): what was said stands. */
const endWithoutResult = (
  error: unknown,
  cancelRequested: boolean,
  deadline: number,
  fullContent: string,
): AdapterEvent => {
  if (cancelRequested || isCancellation(error))
    return { type: 'done', fullContent, finishReason: 'cancelled' };
  if (Date.now() >= deadline) return { type: 'done', fullContent, finishReason: 'time' };
  if (error instanceof ActivityFailure) {
    throw new ModelCallError('model_unavailable', 'The model call was lost and could not be repeated.');
  }
  throw error;
};
