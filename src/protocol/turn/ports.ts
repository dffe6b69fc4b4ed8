import type { Budgets } from '../../contracts/budgets.ts';
import type { ModelEnd, StreamOptions } from '../../contracts/payload/turn-activities.ts';
import type { ModelMessage, Usage } from '../../contracts/model-message.ts';
import type { Mode, ToolCall, ToolDeclaration, ToolResult } from '../../contracts/tool-call.ts';
import type { TraceSource, TraceType } from '../../contracts/trace-event.ts';
import type { ContentRef, ReplacedText } from '../../contracts/write-session.ts';
import type { CommitOutcome } from '../../contracts/payload/session-activities.ts';
import type { WrittenPhase } from '../../write-session/session-text.ts';
import type { TurnErrorCode } from '../../contracts/wire/turn-event.ts';

/** What one model call came to. */
export interface ModelAnswer {
  /** All text that was shown of it, the `lead` included. */
  readonly text: string;
  /** All calls, merged. */
  readonly calls: readonly ToolCall[];
  /** More calls than MOST_CALLS_PER_ANSWER: none of them is looked at. */
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

/** How a turn reaches its model. */
export type ModelAdapter = ModelPort | LlmAdapter;

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
  /**
   * True: answers of a poll that differ in durations, request ids or counters of attempts alone are news, as they
   * were in turns that older code began. Asked only when that decides whether a poll runs again.
   */
  comparesTimings?(): boolean;
}

export interface TraceRecord {
  readonly projectId: string;
  readonly requestId: string;
  readonly type: TraceType;
  readonly source: TraceSource;
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

/** A write session that a call of this turn has begun. */
export interface BegunSession {
  readonly sessionId: string;
  /** As it was asked for. */
  readonly target: string;
}

/** One action phase of a write session, and where its text stands. */
export interface SessionPhase extends WrittenPhase {
  /** 1, 2, …: number of the model call in the turn. */
  readonly step: number;
  /** Characters of the call's text before the content: the turn's own line breaks. */
  readonly skip: number;
}

/** All that was written in a session so far. */
export interface WrittenSession {
  readonly session: BegunSession;
  /** `readContent` of these is the content. */
  readonly phases: readonly SessionPhase[];
  readonly content: ContentRef;
  /** The model has marked the end: the content is to be committed. */
  readonly isComplete: boolean;
}

/**
 * `kept`: it is the session's draft, nothing is committed. `failed`: the target is untouched, and the reason is for
 * model and user; `validation_failed`: other content may do.
 */
export type KeepOutcome = { readonly kind: 'kept' } | CommitOutcome;

/**
 * Write sessions as the protocol core needs them. Production: `workflows/activity-backed-write-sessions.ts`. Without
 * this port the core reads the content all the same, and its events are all that is told of it.
 */
export interface WriteSessionPort {
  /** Keeps what was written, and commits it if it is complete. Expected failures are outcomes. */
  keep(written: WrittenSession): Promise<KeepOutcome>;
  /** The turn is through with a session: these characters of `fullContent` were its content. Never throws. */
  leave(replaced: ReplacedText): void;
}

/** Milliseconds since the epoch; in the workflow Temporal's deterministic time. */
export interface Clock {
  now(): number;
}

/** Asked after every port call: a user's cancel ends the turn with what was said. */
export interface Cancellation {
  readonly requested: boolean;
}

/** Budgets and the other settings of a run; absent fields have the defaults of docs/protocol.md. */
export type ProtocolConfig = Partial<Budgets> & {
  readonly toolResultRole?: 'tool' | 'system';
  /** Of every model call of the run, 0 to 2; absent: that of the mode. */
  readonly temperature?: number | undefined;
};

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
