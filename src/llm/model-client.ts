import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { ToolDefinition } from '../contracts/tools/tool-call.ts';
import type { RawDelta } from '../protocol/stream/raw-delta.ts';

/** A request to a model. `maxTokens` is the longest answer, in tokens. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The tools offered to the model. Empty for none. */
  readonly tools: readonly ToolDefinition[];
  readonly temperature: number;
  readonly maxTokens: number;
  /**
   * Requests that are likely to begin alike have the same key, by which a provider may keep their beginnings in one
   * place.
   */
  readonly cacheKey?: string;
}

/** Takes one delta and says whether the next one is wanted. After `enough` it is not called again. */
export type OnDelta = (delta: RawDelta) => 'more' | 'enough';

/**
 * Makes streamed model calls. Deltas come in the order of the wire, except that `finish` is held back until everything
 * else of the answer has been read: only `end` may follow it. Text and calls are given in the tick in which their bytes
 * were read, because every promise in between would delay every chunk of every answer (`npm run bench`, chunk lag).
 *
 * Rejects with `ProviderError` when the call failed or its stream was cut, with the signal's reason after an abort, and
 * with whatever `onDelta` throws. An abort, `enough` and a throw close the connection of an unfinished answer.
 */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal, onDelta: OnDelta): Promise<void>;
}
