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
   * Aborted at the tool's timeout, when the turn is cancelled, and when the worker stops. The tool must change nothing
   * afterwards.
   */
  readonly signal: AbortSignal;
  /** Fence of this attempt, which a tool checks right before it writes a file or lets a command begin. */
  readonly fence: WriteFence;
  /** Time at which the turn's time is up, in milliseconds since 1970. Absent means no limit. */
  readonly deadline?: number;
  /** Called with the output of a long call while it runs, for people who watch the turn. Must not throw. */
  readonly onOutput?: (output: LiveOutput) => void;
  /** The write session that the call begins. Set only for `WritePlanTool_begin`. */
  readonly writeSession?: SessionToBegin;
  /** The answer that somebody gave to the call, where its tool asks for one. */
  readonly answer?: CallAnswer;
}

/** The whole answer that a user or client has given to a call, in place of running it. */
export interface CallAnswer {
  /** False when a client says that the call has failed. */
  readonly ok: boolean;
  readonly content: string;
}

/** A piece of output of a call that runs, and the stream it came on. */
export type LiveOutput = Pick<ToolOutput, 'stream' | 'content'>;

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

/**
 * The outcome of one execution. Expected failures are data. What a tool throws becomes a failure, too
 * (`classifyToolError`).
 */
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
      /** True when the failure may pass by itself. The runner then tries reads and polls again. */
      readonly isTransient?: boolean;
      /**
       * True when the model may repeat the call, although the runner does not try it again, because the tool itself has
       * answered with the failure.
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
  /**
   * True when an interrupted write may run again, because the same call at the same place of a turn has only one
   * effect.
   */
  readonly mayRunAgain?: boolean;
  /** Time in milliseconds for all attempts of one call together. Absent means the runner's default. */
  readonly timeoutMs?: number;
  /** Time in milliseconds that `execute` may take to tidy up once it is aborted. Absent means the runner's default. */
  readonly graceMs?: number;
  /** Does the work of one call, whose arguments have been checked. */
  execute(input: Input, context: ToolContext): Promise<ToolOutcome>;
  /**
   * Returns the change that `execute` would make to the one file of the call, or its refusal. Changes no file. Absent
   * if a call has no such file.
   */
  preview?(
    input: Input,
    context: Pick<ToolContext, 'projectId'>,
  ): Promise<FileChange | (ToolOutcome & { readonly ok: false })>;
  /**
   * Makes sure that earlier attempts of an interrupted write have no effect from now on, since one of them may only be
   * asleep. Called before the write is reported as lost. Absent if nothing can be done about earlier attempts.
   */
  abandon?(input: Input, context: ToolContext): Promise<void>;
}
