import {
  CHARACTERS_PER_TOKEN,
  type ModelMessage,
  type TokenUsage,
} from '../contracts/model/model-message.ts';
import type { ModelEnd, StreamOptions } from '../contracts/model/stream-options.ts';
import { MAX_CALLS_PER_ANSWER, type TurnMode, type ToolCall } from '../contracts/tools/tool-call.ts';
import { fieldsOf, stringOrEmpty } from '../contracts/values/record.ts';
import type { TurnEvent } from '../contracts/wire/turn-event.ts';
import type {
  ModelAdapter,
  ModelAnswer,
  StreamedModel,
  StreamingTurn,
} from '../protocol/ports/model-port.ts';
import { ModelStreamReader, type RawDelta } from '../protocol/stream/model-stream.ts';

/** An event of a streaming adapter about one model call. `done` is the last event of a call that was not cut. */
export type AdapterEvent =
  | { readonly type: 'chunk'; readonly content: string }
  /** All calls merged so far. */
  | { readonly type: 'tool_calls'; readonly calls: readonly ToolCall[] }
  | {
      readonly type: 'done';
      readonly fullContent: string;
      /** The reason of the end. Absent when the provider named none but sent its terminal marker. */
      readonly finishReason?: ModelEnd;
      readonly usage?: TokenUsage;
    };

/** The options of a streaming adapter's call: how to read, and whose turn it is. */
export interface AdapterOptions extends StreamOptions {
  readonly context: { readonly projectId: string; readonly requestId: string; readonly mode: TurnMode };
}

/**
 * One model call as a stream, for hosts that bring their own model (docs/protocol.md "Adapters of your own"), for as
 * long as that is offered. The iterable throws `ModelCallError` when the call failed for good; any other throw
 * is a defect. A stream that was cut must throw, never end silently. Tests: `test/support/fake-ports.ts`.
 */
export interface LlmAdapter {
  sendMessagesStreaming(
    messages: readonly ModelMessage[],
    options: AdapterOptions,
  ): AsyncIterable<AdapterEvent>;
}

/** Returns a host's adapter as the model of a turn; anything that has not that form is taken as it is. */
export const toModelAdapter = (adapter: LlmAdapter | ModelAdapter): ModelAdapter =>
  isLlmAdapter(adapter) ? streamedModel(adapter) : adapter;

/** A host's adapter may well have a `callModel` of its own; a host without types may give no adapter at all. */
const isLlmAdapter = (adapter: LlmAdapter | ModelAdapter | undefined): adapter is LlmAdapter =>
  adapter !== undefined && 'sendMessagesStreaming' in adapter;

const streamedModel = (adapter: LlmAdapter): StreamedModel => ({
  streamModel: (turn, messages, options) => collectAnswer(turn, adapter, messages, options),
});

/**
 * One model call of a streaming adapter (docs/protocol.md "Adapters of your own"): yields what may be shown of it,
 * returns the answer. What the adapter throws is part of the answer, after the text that was shown.
 */
export const collectAnswer = async function* (
  turn: StreamingTurn,
  adapter: LlmAdapter,
  messages: readonly ModelMessage[],
  options: StreamOptions,
): AsyncGenerator<TurnEvent, ModelAnswer, undefined> {
  const { projectId, requestId, mode } = turn.context;
  const context = { projectId, requestId, mode };
  const stream = new AdapterStream(turn, options);
  try {
    for await (const event of adapter.sendMessagesStreaming(messages, { ...options, context })) {
      yield* stream.take(event);
      if (turn.isCancelled) stream.stop('cancelled');
      if (stream.isOver) break;
    }
  } catch (error) {
    return { ...stream.answer(), error: error instanceof Error ? error : new Error(String(error)) };
  }
  return stream.answer();
};

/** Gives an adapter's events to the common stream reader, and trusts nothing that they say. */
class AdapterStream {
  readonly #turn: StreamingTurn;
  readonly #options: StreamOptions;
  readonly #reader: ModelStreamReader;
  /** All text of the chunks, shown or held. */
  #received = '';
  /** The text that `done` has put in place of the chunks. */
  #restated: string | undefined;
  #calls: readonly ToolCall[] = [];
  #hasTooManyCalls = false;
  #end: ModelEnd | undefined;
  #isOver = false;
  #events = 0;
  #lastEventAt: number | undefined;

  constructor(turn: StreamingTurn, options: StreamOptions) {
    this.#turn = turn;
    this.#options = options;
    // An adapter itself decides about text before its answer, and its events are taken whole: see `#watched`.
    this.#reader = new ModelStreamReader({ ...options, lead: '', tokenBudget: Infinity });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes an event of the adapter; returns what it means for the client. */
  take(event: AdapterEvent): TurnEvent[] {
    switch (event.type) {
      case 'chunk':
        return this.#watched(this.#chunk(event.content));
      case 'tool_calls':
        return this.#watched(this.#toolCalls(event.calls));
      case 'done':
        return this.#done(event);
      default:
        event satisfies never;
        return [];
    }
  }

  /** Ends the call, either because the stream said so or because its reader has stopped. */
  stop(end: ModelEnd | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end = end;
  }

  answer(): ModelAnswer {
    const { fullContent, finishReason, usage } = this.#reader.end();
    return {
      text: this.#restated ?? fullContent,
      calls: this.#calls,
      hasTooManyCalls: this.#hasTooManyCalls,
      end: this.#end ?? finishReason,
      usage,
    };
  }

  #feed(delta: RawDelta): TurnEvent[] {
    const { chunks, shouldStop } = this.#reader.feed(delta);
    if (shouldStop) this.#isOver = true;
    return [...chunks];
  }

  #chunk(content: unknown): TurnEvent[] {
    if (typeof content !== 'string' || content === '') return [];
    this.#received += content;
    return this.#feed({ type: 'text', text: content });
  }

  #toolCalls(received: unknown): TurnEvent[] {
    if (!this.#options.tools || !Array.isArray(received) || received.length === 0) return [];
    this.#hasTooManyCalls = received.length > MAX_CALLS_PER_ANSWER;
    const calls = received.slice(0, MAX_CALLS_PER_ANSWER + 1).map(receivedCall);
    this.#calls = calls;
    return [...this.#feed({ type: 'calls', calls }), { type: 'tool_calls', calls }];
  }

  /** The adapter is done: the whole text that it reports counts, shown or not. */
  #done({ fullContent, finishReason, usage }: AdapterEvent & { type: 'done' }): TurnEvent[] {
    if (usage) this.#feed({ type: 'usage', usage });
    const settled = typeof fullContent === 'string' && fullContent !== '' ? this.#settle(fullContent) : [];
    const last: RawDelta = finishReason === 'length' ? { type: 'finish', reason: 'length' } : { type: 'end' };
    const events = [...settled, ...this.#feed(last)];
    this.stop(finishReason);
    return events;
  }

  /**
   * When the chunks are a beginning of the whole text, the rest is shown. When the two contradict each other, nothing
   * that was shown can be taken back. The whole text counts from here on, and a trace says so (I4).
   */
  #settle(fullContent: string): TurnEvent[] {
    const received = this.#received;
    if (fullContent === received) return [];
    const { lead } = this.#options;
    const whole = fullContent.startsWith(lead) ? fullContent : lead + fullContent;
    // Text that came in no chunk was not said after the call.
    if (received === '') return this.#feed({ type: 'text', text: whole, isBeforeCalls: true });
    if (fullContent.startsWith(received)) return this.#chunk(fullContent.slice(received.length));
    if (whole.startsWith(received)) return this.#chunk(whole.slice(received.length));
    this.#restated = whole;
    this.#turn.trace({
      type: 'system_error',
      source: 'system',
      summary: 'the adapter ended with another text than its chunks had',
      details: { chunkCharacters: received.length, doneCharacters: fullContent.length },
    });
    return [];
  }

  /**
   * An adapter that replays a finished call hands over everything at one instant, possibly after the deadline, and must
   * not be cut for that. The stream is still running only when time passes between two events.
   */
  #watched(events: TurnEvent[]): TurnEvent[] {
    const now = this.#turn.clock.now();
    const isRunning = this.#lastEventAt !== undefined && now > this.#lastEventAt;
    this.#lastEventAt = now;
    if (isRunning && now >= this.#options.deadline) this.stop('time');
    // Events are counted too, to end a stream that never says anything.
    this.#events += 1;
    const output = Math.max(this.#reader.characters, this.#events);
    if (output > this.#options.tokenBudget * CHARACTERS_PER_TOKEN) this.stop('tokens');
    return events;
  }
}

const field = (value: unknown, key: string): unknown => fieldsOf(value)[key];

/**
 * Brings a call of an adapter into the form of the contract. One that has no such form stays recognisable as malformed:
 * a blank name, or arguments that are no JSON.
 */
const receivedCall = (raw: unknown, position: number): ToolCall => {
  const called = field(raw, 'function');
  const args = field(called, 'arguments') ?? '';
  return {
    id: stringOrEmpty(field(raw, 'id')) || `call_${position}`,
    type: 'function',
    function: {
      name: stringOrEmpty(field(called, 'name')),
      arguments: typeof args === 'string' ? args : `not text: ${typeof args}`,
    },
  };
};
