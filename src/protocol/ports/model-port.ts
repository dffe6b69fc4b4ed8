import type { ModelMessage, TokenUsage } from '../../contracts/model/model-message.ts';
import type { TurnMode, ToolCall } from '../../contracts/tools/tool-call.ts';
import type { TurnErrorCode, TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { TraceEntry } from './trace-service.ts';
import type { WallClock } from './wall-clock.ts';
import type { ModelEnd, StreamOptions } from '../../contracts/model/stream-options.ts';

/** The result of one model call: text, calls, usage, and why it ended. */
export interface ModelAnswer {
  /** All text of the answer that was shown, the `lead` included. */
  readonly text: string;
  /** All calls, merged. */
  readonly calls: readonly ToolCall[];
  /** True when the answer has more calls than MAX_CALLS_PER_ANSWER: none of them is looked at. */
  readonly hasTooManyCalls: boolean;
  /** Reason of the end. Undefined when the stream named none. */
  readonly end: ModelEnd | undefined;
  readonly usage: TokenUsage;
  /**
   * The indexes of messages that did not fit, for each of which the model was sent one line. Absent when it was sent
   * all.
   */
  readonly leftOut?: readonly number[];
  /** The reason why the call failed for good after `text`. It is a `ModelCallError`; any other error is a defect. */
  readonly error?: Error;
}

/**
 * One model call whose stream is read elsewhere, under these options, and shown there to whoever watches: the core
 * makes no event of its text. May throw what `ModelAnswer.error` may be, when nothing was shown.
 * Production: `workflows/turn/activity-backed-model.ts`.
 */
export interface ModelPort {
  callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer>;
}

/** The turn, as seen by a model that streams into it. */
export interface StreamingTurn {
  readonly context: { readonly projectId: string; readonly requestId: string; readonly mode: TurnMode };
  readonly clock: WallClock;
  /** The user has cancelled the turn: no more of the stream is wanted. */
  readonly isCancelled: boolean;
  trace(entry: TraceEntry): void;
}

/**
 * One model call whose stream is read in the turn itself, for hosts that run turns in their own process: yields the
 * events that show it, as they come. Its errors are those of `ModelPort`. Adapters of hosts:
 * `src/compat/llm-adapter.ts`.
 */
export interface StreamedModel {
  streamModel(
    turn: StreamingTurn,
    messages: readonly ModelMessage[],
    options: StreamOptions,
  ): AsyncGenerator<TurnEvent, ModelAnswer, undefined>;
}

/** The model of a turn: read elsewhere, or streamed into the turn. */
export type ModelAdapter = ModelPort | StreamedModel;

/**
 * Thrown by a model whose call failed for good, after every retry: the turn ends with `error { code, message }`. The
 * message is shown to the user and must hold no secret.
 */
export class ModelCallError extends Error {
  readonly code: TurnErrorCode;

  constructor(code: TurnErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelCallError';
    this.code = code;
  }
}
