import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { CallDelta } from './tool-call-assembler.ts';

/** A part of a provider's stream, without its wire format. */
export type RawDelta =
  /** `isBeforeCalls` says that the text came before the calls, although it arrives after them. */
  | { readonly type: 'text'; readonly text: string; readonly isBeforeCalls?: boolean }
  | ({ readonly type: 'call' } & CallDelta)
  /** All calls so far, from an adapter that merges them itself. They replace those that were sent before. */
  | { readonly type: 'calls'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'finish'; readonly reason: string }
  /** The terminal marker (`[DONE]`). */
  | { readonly type: 'end' }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'reasoning'; readonly text: string };
