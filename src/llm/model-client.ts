import type { ModelMessage } from '../contracts/model-message.ts';
import type { ToolDefinition } from '../contracts/tool-call.ts';
import type { RawDelta } from '../protocol/model-stream.ts';

export { ModelFailure } from './model-failure.ts';

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** Empty: the model is offered no tools. */
  readonly tools: readonly ToolDefinition[];
  readonly temperature: number;
  readonly maxTokens: number;
}

/**
 * One streamed model call. Deltas come in the order of the wire, except that `finish` is held back until
 * everything else of the answer has been read: what follows it is at most `end`.
 * Throws `ModelFailure` when the call failed or its stream was cut, and the signal's reason after an abort.
 * Both an abort and the end of iteration close the connection of an unfinished answer.
 */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<RawDelta>;
}
