import { CHARACTERS_PER_TOKEN, type ModelMessage } from '../contracts/model/model-message.ts';
import type { ModelStopReason, StreamOptions } from '../contracts/model/stream-options.ts';
import { MAX_CALLS_PER_ANSWER, type ToolCall } from '../contracts/tools/tool-call.ts';
import type { TurnEvent } from '../contracts/wire/turn-event.ts';
import type {
  ModelAdapter,
  ModelAnswer,
  StreamedModel,
  StreamingTurn,
} from '../protocol/ports/model-port.ts';
import { ModelStreamReader } from '../protocol/stream/model-stream.ts';
import type { RawDelta } from '../protocol/stream/raw-delta.ts';
import { type LlmAdapter, type AdapterEvent, receivedCall } from './llm-adapter.ts';

/**
 * Returns the adapter of a host as the model of a turn. An adapter without `sendMessagesStreaming` is returned
 * unchanged.
 */
export const toModelAdapter = (adapter: LlmAdapter | ModelAdapter): ModelAdapter =>
  isLlmAdapter(adapter) ? streamedModel(adapter) : adapter;

/**
 * Only `sendMessagesStreaming` decides, because the adapter may have a `callModel` of its own. A host without types may
 * give no adapter at all.
 */
const isLlmAdapter = (adapter: LlmAdapter | ModelAdapter | undefined | null): adapter is LlmAdapter =>
  adapter !== undefined && adapter !== null && 'sendMessagesStreaming' in adapter;

const streamedModel = (adapter: LlmAdapter): StreamedModel => ({
  streamModel: (turn, messages, options) => collectAnswer(turn, adapter, messages, options),
});

/**
 * Makes one call of a streaming adapter (docs/protocol.md "Adapters of your own"). Yields the events to show and
 * returns the answer. What the adapter throws becomes the `error` of the answer, whose text is what was shown until
 * then.
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

/**
 * Feeds the events of an adapter to a `ModelStreamReader`. It checks texts and calls, because hosts may be written
 * without types.
 */
class AdapterStream {
  readonly #turn: StreamingTurn;
  readonly #options: StreamOptions;
  readonly #reader: ModelStreamReader;
  /** The text of all chunks so far, including what the reader still holds back. */
  #received = '';
  /** The text of `done`, if it contradicts the chunks. */
  #restated: string | undefined;
  #calls: readonly ToolCall[] = [];
  #hasTooManyCalls = false;
  #end: ModelStopReason | undefined;
  #isOver = false;
  #events = 0;
  #lastEventAt: number | undefined;

  constructor(turn: StreamingTurn, options: StreamOptions) {
    this.#turn = turn;
    this.#options = options;
    // The adapter gets `lead` in its options, and puts it before the text itself. The reader has no token budget,
    // because it would cut events in the middle: `#withinLimits` counts instead.
    this.#reader = new ModelStreamReader({ ...options, lead: '', tokenBudget: Infinity });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes an event of the adapter and returns the events to show for it. */
  take(event: AdapterEvent): TurnEvent[] {
    switch (event.type) {
      case 'chunk':
        return this.#withinLimits(this.#chunk(event.content));
      case 'tool_calls':
        return this.#withinLimits(this.#toolCalls(event.calls));
      case 'done':
        return this.#done(event);
      default:
        event satisfies never;
        return [];
    }
  }

  /** Ends the call, unless it is already over. `end` is the reason; undefined leaves the reason to the reader. */
  stop(end: ModelStopReason | undefined): void {
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
    // One call more than allowed is enough for the reader to stop.
    const calls = received.slice(0, MAX_CALLS_PER_ANSWER + 1).map(receivedCall);
    this.#calls = calls;
    return [...this.#feed({ type: 'calls', calls }), { type: 'tool_calls', calls }];
  }

  /** Ends the call with the full text that the adapter reports, whether its chunks had it or not. */
  #done({ fullContent, finishReason, usage }: AdapterEvent & { type: 'done' }): TurnEvent[] {
    if (usage) this.#feed({ type: 'usage', usage });
    const reconciled =
      typeof fullContent === 'string' && fullContent !== '' ? this.#reconcileText(fullContent) : [];
    const last: RawDelta = finishReason === 'length' ? { type: 'finish', reason: 'length' } : { type: 'end' };
    const events = [...reconciled, ...this.#feed(last)];
    this.stop(finishReason);
    return events;
  }

  /**
   * Shows the rest of the full text when the chunks are a beginning of it. When the two contradict each other, what was
   * shown cannot be taken back. The full text then becomes the text of the answer, and a trace reports the
   * contradiction.
   */
  #reconcileText(fullContent: string): TurnEvent[] {
    const receivedText = this.#received;
    if (fullContent === receivedText) return [];
    const { lead } = this.#options;
    const whole = fullContent.startsWith(lead) ? fullContent : lead + fullContent;
    // Without chunks, the whole text came before the calls, although it arrives after them.
    if (receivedText === '') return this.#feed({ type: 'text', text: whole, isBeforeCalls: true });
    if (fullContent.startsWith(receivedText)) return this.#chunk(fullContent.slice(receivedText.length));
    if (whole.startsWith(receivedText)) return this.#chunk(whole.slice(receivedText.length));
    this.#restated = whole;
    this.#turn.trace({
      type: 'system_error',
      source: 'system',
      summary: 'the adapter ended with another text than its chunks had',
      details: { chunkCharacters: receivedText.length, doneCharacters: fullContent.length },
    });
    return [];
  }

  /**
   * Ends the stream when its time or its tokens are used up. A stream is cut by time only while it is still running,
   * that is, if time passes between two of its events. An adapter that replays a finished call yields everything in one
   * instant, possibly after the deadline, and must not be cut.
   */
  #withinLimits(events: TurnEvent[]): TurnEvent[] {
    const now = this.#turn.clock.now();
    const isRunning = this.#lastEventAt !== undefined && now > this.#lastEventAt;
    this.#lastEventAt = now;
    if (isRunning && now >= this.#options.deadline) this.stop('time');
    // An event counts as at least one character, so that a stream of empty events ends as well.
    this.#events += 1;
    const output = Math.max(this.#reader.characters, this.#events);
    if (output > this.#options.tokenBudget * CHARACTERS_PER_TOKEN) this.stop('tokens');
    return events;
  }
}
