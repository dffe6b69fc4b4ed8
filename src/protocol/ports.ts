import type { Budgets } from '../contracts/budgets.ts';
import type { ModelEnd, StreamOptions } from '../contracts/model-call.ts';
import type { ModelMessage, Usage } from '../contracts/model-message.ts';
import type { Mode, ToolCall, ToolDeclaration, ToolResult } from '../contracts/tool-call.ts';

/** What an adapter reports while one model call streams. `done` is the last event of a call that was not cut. */
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

export interface AdapterOptions extends StreamOptions {
  readonly context: { readonly projectId: string; readonly requestId: string; readonly mode: Mode };
}

/**
 * One model call. The iterable throws `ModelCallError` when the call failed for good; any other throw is a
 * defect. A stream that was cut must throw, never end silently.
 * Production: `workflows/activity-backed-model.ts`. Tests: `test/support/fake-ports.ts`.
 */
export interface LlmAdapter {
  sendMessagesStreaming(
    messages: readonly ModelMessage[],
    options: AdapterOptions,
  ): AsyncIterable<AdapterEvent>;
}

export interface ToolExecutionContext {
  readonly projectId: string;
  readonly requestId: string;
  readonly mode: Mode;
  readonly phaseIndex: number;
  /** Milliseconds to wait before the execution: unchanged polls are spaced. */
  readonly delayMs: number;
}

/** Executes tools. Expected failures are results with `success: false`; results come in the order of the calls. */
export interface ToolExecutor {
  executeToolCalls(calls: readonly ToolCall[], context: ToolExecutionContext): Promise<readonly ToolResult[]>;
  /** The tool behind a name or alias; undefined for an unknown one. */
  describe?(name: string): ToolDeclaration | undefined;
}

export interface TraceRecord {
  readonly projectId: string;
  readonly requestId: string;
  readonly type: string;
  readonly source: 'user' | 'orion' | 'tool' | 'system';
  readonly summary: string;
  readonly details?: unknown;
  readonly phaseIndex?: number;
  readonly cycleIndex?: number;
  readonly error?: string;
}

/** Records what happened. Never throws: a trace may fail, a turn may not. */
export interface TraceService {
  record(event: TraceRecord): void;
}

/** Milliseconds since the epoch; in the workflow Temporal's deterministic time. */
export interface Clock {
  now(): number;
}

/** Asked after every port call: a user's cancel ends the turn with what was said. */
export interface Cancellation {
  readonly requested: boolean;
}

/** Budgets and the other settings of a run; absent fields have the defaults of protocol.md. */
export type ProtocolConfig = Partial<Budgets> & { readonly toolResultRole?: 'tool' | 'system' };
