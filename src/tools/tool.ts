import type { z } from 'zod';
import type { SessionToBegin } from '../contracts/payload/turn-activities.ts';
import type { ToolDeclaration } from '../contracts/tool-call.ts';
import type { WriteFence } from '../files/workspace/write-fence.ts';

/** What a tool is told of the call it runs for. */
export interface ToolContext {
  readonly turnId: string;
  readonly projectId: string;
  /** Aborted at the tool's timeout and when the turn is cancelled; nothing may be changed afterwards. */
  readonly signal: AbortSignal;
  /** Of this attempt: tools that write files ask it before they touch one. */
  readonly fence: WriteFence;
  /** The session that a call of `WritePlanTool_begin` begins. */
  readonly writeSession?: SessionToBegin;
}

/** Expected failures are data; a tool that throws has a defect, which is reported to the model all the same. */
export type ToolOutcome =
  /** Any value; made safe for JSON and cut to the model's limit by the runner. */
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly error: string;
      readonly details?: unknown;
      /** The failure may pass by itself: reads and polls are tried again. */
      readonly transient?: boolean;
      /** It may pass, and the tool has answered: it is not tried again here, but the model may ask once more. */
      readonly retryable?: boolean;
    };

/** A tool (docs/tools.md): declaration, zod input schema and `execute` with its I/O injected. */
export interface Tool<Input = unknown> {
  readonly declaration: ToolDeclaration;
  /** Other exact names the model may use. */
  readonly aliases: readonly string[];
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** JSON Schema for the model; absent: made from `input`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** A write that was interrupted may simply run again: the same call in the same place has one effect. */
  readonly rerunnable?: boolean;
  /** Milliseconds for all attempts of one call together; absent: the runner's default. */
  readonly timeoutMs?: number;
  execute(input: Input, context: ToolContext): Promise<ToolOutcome>;
  /**
   * Makes sure that earlier attempts of an interrupted write have no effect from now on, before it is reported as
   * lost: one of them may only be asleep.
   */
  abandon?(input: Input, context: ToolContext): Promise<void>;
}
