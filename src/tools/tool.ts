import type { z } from 'zod';
import type { SessionToBegin } from '../contracts/payload/turn-activity-payloads.ts';
import type { ToolDeclaration } from '../contracts/tools/tool-call.ts';
import type { ToolOutput } from '../contracts/wire/tool-output.ts';
import type { TargetBefore } from '../files/workspace/target-before.ts';
import type { WriteFence } from '../files/workspace/write-fence.ts';

/** What a tool is told about the call that it executes, beside the arguments. */
export interface ToolContext {
  readonly turnId: string;
  readonly projectId: string;
  /**
   * Aborted at the tool's timeout, when the turn is cancelled, and when the worker stops. Nothing may be changed
   * afterwards.
   */
  readonly signal: AbortSignal;
  /** Fence of this attempt: tools that write files check it before they touch one. */
  readonly fence: WriteFence;
  /** Time at which the turn's time is up, in milliseconds since the epoch. Absent means no limit. */
  readonly deadline?: number;
  /** Called with the output of a long call while it runs, for people who watch the turn. Must not throw. */
  readonly onOutput?: (output: LiveOutput) => void;
  /** The session that a call of `WritePlanTool_begin` begins. */
  readonly writeSession?: SessionToBegin;
  /** The answer that somebody gave to the call, where its tool asks for one. */
  readonly answer?: AnswerOfCall;
}

/** The whole answer that a user or client has given to a call, in place of running it. */
export interface AnswerOfCall {
  /** False when a client says that the call has failed. */
  readonly ok: boolean;
  readonly content: string;
}

/** A piece of output of a call that runs, and the stream it came on. */
export type LiveOutput = Pick<ToolOutput, 'stream' | 'content'>;

/** The context of a call that is only previewed. */
export interface PreviewContext {
  readonly projectId: string;
}

/** One file, as it is and as it would be. */
export interface FileChange {
  readonly ok: true;
  /** Path of the file, as the call names it. */
  readonly target: string;
  /** The file before. Null if there is none. */
  readonly before: TargetBefore | null;
  readonly after: Uint8Array;
  /** Unified diff. If absent, it is made from `before` and `after`. */
  readonly diff?: string;
}

/** Expected failures are data; a tool that throws has a defect, which is also reported to the model. */
export type ToolOutcome =
  /**
   * The result is any value; the runner makes it safe for JSON and cuts it to the model's limit. `traceResult` is what
   * the trace keeps instead, when that is more.
   */
  | { readonly ok: true; readonly result: unknown; readonly traceResult?: unknown }
  | {
      readonly ok: false;
      readonly error: string;
      readonly details?: unknown;
      /** True when the failure may pass by itself. Reads and polls are then tried again. */
      readonly isTransient?: boolean;
      /**
       * True when the failure may pass although the tool has answered: it is not tried again here, but the model may
       * repeat the call.
       */
      readonly isRetryable?: boolean;
    };

/** A tool (docs/tools.md): declaration, zod input schema and `execute` with its I/O injected. */
export interface Tool<Input = unknown> {
  readonly declaration: ToolDeclaration;
  /** Other exact names that the model may use. */
  readonly aliases: readonly string[];
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** JSON Schema for the model. If absent, it is made from `input`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** True when an interrupted write may simply run again: the same call in the same place has one effect. */
  readonly isRerunnable?: boolean;
  /** Milliseconds for all attempts of one call together. Absent means the runner's default. */
  readonly timeoutMs?: number;
  /** Milliseconds that `execute` may take to tidy up once it is aborted. Absent means the runner's default. */
  readonly graceMs?: number;
  /** Does the work of one call, whose arguments have been checked. */
  execute(input: Input, context: ToolContext): Promise<ToolOutcome>;
  /**
   * Returns the change that `execute` would make to the one file of the call, or its refusal. Changes nothing. Absent
   * if a call has no such file.
   */
  preview?(
    input: Input,
    context: PreviewContext,
  ): Promise<FileChange | (ToolOutcome & { readonly ok: false })>;
  /**
   * Makes sure that earlier attempts of an interrupted write have no effect from now on, before it is reported as lost:
   * one of them may only be asleep.
   */
  abandon?(input: Input, context: ToolContext): Promise<void>;
}
