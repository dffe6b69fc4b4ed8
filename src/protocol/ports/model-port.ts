import type { ModelMessage, TokenUsage } from '../../contracts/model/model-message.ts';
import type { TurnMode, ToolCall } from '../../contracts/tools/tool-call.ts';
import type { TurnErrorCode, TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { TraceFields } from './trace-service.ts';
import type { WallClock } from './wall-clock.ts';
import type { ModelStopReason, StreamOptions } from '../../contracts/model/stream-options.ts';

/** The result of one model call: text, calls, usage, and why it ended. */
export interface ModelAnswer {
  /** All text of the answer that was shown, the `lead` included. */
  readonly text: string;
  /** All tool calls of the answer, each merged from its deltas. */
  readonly calls: readonly ToolCall[];
  /** True when the answer has more than `MAX_CALLS_PER_ANSWER` calls. None of them is then looked at. */
  readonly hasTooManyCalls: boolean;
  /** Why the stream was read no further. Undefined if the stream named no reason, or if the call failed. */
  readonly end: ModelStopReason | undefined;
  readonly usage: TokenUsage;
  /**
   * The indexes of the messages that did not fit and were each replaced with one line. Absent if all messages were sent
   * as they are.
   */
  readonly leftOut?: readonly number[];
  /** The reason why the call failed for good after `text`. It is a `ModelCallError`; any other error is a defect. */
  readonly error?: Error;
}

/**
 * Makes model calls whose streams are read and shown elsewhere, so that the core makes no events of their text. If a
 * call fails for good, `callModel` either resolves with `error`, so that the text before it counts, or rejects with a
 * `ModelCallError`. Production: `workflows/turn/activity-backed-model.ts`.
 */
export interface ModelPort {
  callModel(messages: readonly ModelMessage[], options: StreamOptions): Promise<ModelAnswer>;
}

/** The turn, as seen by a model that streams into it. */
export interface StreamingTurn {
  readonly context: { readonly projectId: string; readonly requestId: string; readonly mode: TurnMode };
  readonly clock: WallClock;
  /** True when the user has cancelled the turn, so that the stream is no longer wanted. */
  readonly isCancelled: boolean;
  trace(fields: TraceFields): void;
}

/**
 * Makes model calls whose streams are read in the turn itself, for hosts that run turns in their own process.
 * `streamModel` yields the events of the stream as they come, and fails like `ModelPort.callModel`. Adapters of hosts:
 * `src/compat/adapted-model.ts`.
 */
export interface StreamedModel {
  streamModel(
    turn: StreamingTurn,
    messages: readonly ModelMessage[],
    options: StreamOptions,
  ): AsyncGenerator<TurnEvent, ModelAnswer, undefined>;
}

/** The model of a turn, whose streams are read either elsewhere (`ModelPort`) or in the turn (`StreamedModel`). */
export type ModelAdapter = ModelPort | StreamedModel;

/**
 * The error of a model call that failed for good, after every retry: the turn ends with `error { code, message }`. The
 * message is shown to the user and must hold no secret.
 */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly code: TurnErrorCode;

  constructor(code: TurnErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
