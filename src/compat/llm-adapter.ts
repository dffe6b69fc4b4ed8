import type { ModelMessage, TokenUsage } from '../contracts/model/model-message.ts';
import type { ModelStopReason, StreamOptions } from '../contracts/model/stream-options.ts';
import type { TurnMode, ToolCall } from '../contracts/tools/tool-call.ts';
import { fieldsOf, stringOrEmpty } from '../contracts/values/unchecked-value.ts';

/**
 * An event that a streaming adapter yields during one model call. `done` is the last event, unless the stream was cut.
 */
export type AdapterEvent =
  | { readonly type: 'chunk'; readonly content: string }
  /** The complete list of calls so far, which replaces the list of an earlier event. */
  | { readonly type: 'tool_calls'; readonly calls: readonly ToolCall[] }
  | {
      readonly type: 'done';
      readonly fullContent: string;
      /** The reason why the call ended. Absent when the provider named none. */
      readonly finishReason?: ModelStopReason;
      readonly usage?: TokenUsage;
    };

/** The options of one call of a streaming adapter, with the turn that it belongs to. */
export interface AdapterOptions extends StreamOptions {
  readonly context: { readonly projectId: string; readonly requestId: string; readonly mode: TurnMode };
}

/**
 * A model that a host brings (docs/protocol.md "Adapters of your own"). Each call makes one model call and returns its
 * stream. The iterable throws `ModelCallError` when the call failed for good; anything else that it throws counts as a
 * defect. A stream that was cut must throw and never end silently. Example: `test/support/fake-ports.ts`.
 */
export interface LlmAdapter {
  sendMessagesStreaming(
    messages: readonly ModelMessage[],
    options: AdapterOptions,
  ): AsyncIterable<AdapterEvent>;
}

/**
 * Returns a call of an adapter in the form of the contract. A call that cannot be read gets a blank name or arguments
 * that are not JSON, so that it is refused as malformed.
 */
export const receivedCall = (raw: unknown, position: number): ToolCall => {
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

const field = (value: unknown, key: string): unknown => fieldsOf(value)[key];
