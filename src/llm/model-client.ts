import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { ToolDefinition } from '../contracts/tools/tool-call.ts';
import type { RawDelta } from '../protocol/stream/model-stream.ts';

/** A request to a model: messages, tools, temperature, and the longest answer in tokens. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The tools offered to the model. Empty for none. */
  readonly tools: readonly ToolDefinition[];
  readonly temperature: number;
  readonly maxTokens: number;
  /** The same key for requests that are likely to begin alike: a provider may keep their beginnings in one place. */
  readonly cacheKey?: string;
}

/** Takes one delta and says whether the next is wanted; after `enough` it is not called again. */
export type OnDelta = (delta: RawDelta) => 'more' | 'enough';

/**
 * One streamed model call. Deltas come in the order of the wire, except that `finish` is held back until everything
 * else of the answer has been read: what follows it is at most `end`. Text and calls are given in the tick in which
 * their bytes were read: every promise in between would cost every chunk of every answer (`npm run bench`, chunk lag).
 * Rejects with `ModelFailure` when the call failed or its stream was cut, with the signal's reason after an abort, and
 * with whatever `take` throws. An abort, `enough` and a throw close the connection of an unfinished answer.
 */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal, onDelta: OnDelta): Promise<void>;
}
