import type { ModelMessage, Usage } from '../../contracts/model-message.ts';
import type { Mode, ToolCall } from '../../contracts/tool-call.ts';
import type { TurnErrorCode } from '../../contracts/wire/turn-event.ts';
import type { ModelEnd, StreamOptions } from '../../contracts/model-call.ts';

/** What one model call came to: text, calls, usage, and why it ended. */
export interface ModelAnswer {
  /** All text that was shown of it, the `lead` included. */
  readonly text: string;
  /** All calls, merged. */
  readonly calls: readonly ToolCall[];
  /** More calls than MAX_CALLS_PER_ANSWER: none of them is looked at. */
  readonly hasTooManyCalls: boolean;
  /** Undefined when the stream ended without naming a reason. */
  readonly end: ModelEnd | undefined;
  readonly usage: Usage;
  /** The call failed for good after `text`: a `ModelCallError`; anything else is a defect. */
  readonly error?: Error;
}

/**
 * One model call whose stream is read elsewhere, under these options, and shown there to whoever watches: the core
 * makes no event of its text. May throw what `ModelAnswer.error` may be, when nothing was shown.
 * Production: `workflows/activity-backed-model.ts`.
 */
export interface ModelPort {
  callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer>;
}

/** What a streaming adapter reports of one model call. `done` is the last event of a call that was not cut. */
export type AdapterEvent =
  | { readonly type: 'chunk'; readonly content: string }
  /** All calls merged so far. */
  | { readonly type: 'tool_calls'; readonly calls: readonly ToolCall[] }
  | {
      readonly type: 'done';
      readonly fullContent: string;
      /** How the stream ended; absent when the provider named no reason but sent its terminal marker. */
      readonly finishReason?: ModelEnd;
      readonly usage?: Usage;
    };

/** What a streaming adapter is called with: how to read, and whose turn it is. */
export interface AdapterOptions extends StreamOptions {
  readonly context: { readonly projectId: string; readonly requestId: string; readonly mode: Mode };
}

/**
 * One model call as a stream, for hosts that bring their own model (docs/protocol.md "Adapters of your own"): the core
 * reads it and yields its events. The iterable throws `ModelCallError` when the call failed for good; any other throw
 * is a defect. A stream that was cut must throw, never end silently. Tests: `test/support/fake-ports.ts`.
 */
export interface LlmAdapter {
  sendMessagesStreaming(
    messages: readonly ModelMessage[],
    options: AdapterOptions,
  ): AsyncIterable<AdapterEvent>;
}

/** How a turn reaches its model: by Orion's own port, or by an adapter that a caller brings. */
export type ModelAdapter = ModelPort | LlmAdapter;

/**
 * What an `LlmAdapter` throws when a model call failed for good, after every retry: the turn ends with
 * `error { code, message }`. The message is shown to the user and must hold no secret.
 */
export class ModelCallError extends Error {
  readonly code: TurnErrorCode;

  constructor(code: TurnErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelCallError';
    this.code = code;
  }
}
