import type { AdapterEvent } from '../../../src/compat/llm-adapter.ts';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import type { StreamOptions } from '../../../src/contracts/model/stream-options.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import { type ModelAnswer, ModelCallError, type ModelPort } from '../../../src/protocol/ports/model-port.ts';
import { ModelStreamReader } from '../../../src/protocol/stream/model-stream.ts';
import type { RawDelta } from '../../../src/protocol/stream/raw-delta.ts';
import type { ModelScript } from '../../support/fake-ports.ts';
import { nth } from './nth.ts';
import { modelAnswer } from './scripted-answers.ts';

/** What a wild model may do in one call. */
export type Behaviour =
  | { readonly kind: 'events'; readonly events: readonly AdapterEvent[] }
  | { readonly kind: 'stream'; readonly deltas: readonly RawDelta[] }
  | { readonly kind: 'endless'; readonly event: AdapterEvent }
  | { readonly kind: 'broken'; readonly events: readonly AdapterEvent[] };

/** Returns the model of an arbitrary turn, which goes through `behaviours` and then begins again. */
export const modelOf =
  (behaviours: readonly Behaviour[], onEvent: () => void): ModelScript =>
  (n, _messages, options) => {
    const chosen = nth(behaviours, n - 1);
    return (function* () {
      for (const one of eventsOf(chosen, new ModelStreamReader(options))) {
        onEvent();
        yield one;
      }
    })();
  };

const eventsOf = function* (chosen: Behaviour, reader: ModelStreamReader): Generator<AdapterEvent> {
  switch (chosen.kind) {
    case 'events':
      yield* chosen.events;
      return;
    case 'endless':
      for (;;) yield chosen.event;
    case 'broken':
      yield* chosen.events;
      throw new Error('the stream broke');
    case 'stream':
      for (const raw of chosen.deltas) {
        const { chunks, haveCallsChanged, shouldStop } = reader.feed(raw);
        yield* chunks;
        if (haveCallsChanged) yield { type: 'tool_calls', calls: reader.calls() };
        if (shouldStop) break;
      }
      yield reader.end();
      return;
    default:
      chosen satisfies never;
  }
};

/**
 * Yields the part of a behaviour that a provider could send as well: calls are well formed, and a stream that breaks is
 * an error.
 */
const deltasOf = function* (chosen: Behaviour): Generator<RawDelta> {
  switch (chosen.kind) {
    case 'events':
    case 'broken':
      yield* chosen.events.flatMap(deltasOfEvent);
      return;
    case 'endless':
      for (;;) yield* deltasOfEvent(chosen.event);
    case 'stream':
      yield* chosen.deltas;
      return;
    default:
      chosen satisfies never;
  }
};

const deltasOfEvent = (one: AdapterEvent): RawDelta[] => {
  switch (one.type) {
    case 'chunk':
      return [{ type: 'text', text: one.content }];
    case 'tool_calls':
      return [{ type: 'calls', calls: one.calls.filter(isCall) }];
    case 'done':
      return [{ type: 'finish', reason: one.finishReason ?? 'stop' }, { type: 'end' }];
    default:
      return one satisfies never;
  }
};

/**
 * Reports whether a call has the form in which providers send calls. Other calls come only from adapters that merge
 * deltas by themselves.
 */
const isCall = (asked: Partial<ToolCall> | null): asked is ToolCall =>
  typeof asked?.function?.name === 'string' && typeof asked.function.arguments === 'string';

/**
 * The same model behind the port that workflows use: its stream is read and shown before the core has its answer.
 * `describeModelPort` checks it together with the port of the workflow.
 */
export class PortOfModel implements ModelPort {
  readonly calls: { readonly messages: readonly ModelMessage[]; readonly options: StreamOptions }[] = [];
  /** The texts that were shown, one for each answer. */
  readonly said: string[] = [];
  readonly #behaviours: readonly Behaviour[];
  /** Returns the present time and whether the user has cancelled; called before each part of a stream. */
  readonly #look: () => { readonly now: number; readonly isCancelled: boolean };

  constructor(
    behaviours: readonly Behaviour[],
    look: () => { readonly now: number; readonly isCancelled: boolean },
  ) {
    this.#behaviours = behaviours;
    this.#look = look;
  }

  async callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer> {
    this.calls.push({ messages, options });
    const chosen = nth(this.#behaviours, this.calls.length - 1);
    const reader = new ModelStreamReader(options);
    let said = '';
    let cut: 'time' | 'cancelled' | undefined;
    for (const raw of deltasOf(chosen)) {
      const { now, isCancelled } = this.#look();
      cut = isCancelled ? 'cancelled' : now >= options.deadline ? 'time' : undefined;
      if (cut !== undefined) break;
      const { chunks, shouldStop } = reader.feed(raw);
      for (const { content } of chunks) said += content;
      if (shouldStop) break;
    }
    this.said.push(said);
    const { finishReason, usage } = reader.end(cut);
    const error = chosen.kind === 'broken' ? new ModelCallError('model_unavailable', 'broke') : undefined;
    const answer = modelAnswer({ text: said, calls: reader.calls(), usage, ...(error && { error }) });
    return error ? answer : { ...answer, end: finishReason };
  }
}
