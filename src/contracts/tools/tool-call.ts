import { z } from 'zod';
import type { JsonValue } from '../values/json-value.ts';

/** A tool call in the wire form of OpenAI chat completions; `arguments` is the raw JSON text. */
export const toolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** An answer with more is malformed as a whole: no work of a turn needs them, and each costs a reader its time. */
export const MAX_CALLS_PER_ANSWER = 128;

/** The mode of a turn: it may change things (`act`) or only look (`plan`). */
export const modeSchema = z.enum(['plan', 'act']);
/** `plan`: read and poll tools only. `act`: every tool. */
export type TurnMode = z.infer<typeof modeSchema>;

/** The effect of a tool on the world: none, a change, or a look at something that changes by itself. */
export const toolEffectSchema = z.enum(['read', 'write', 'poll']);
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/**
 * The facts about a tool by which the protocol core judges duplicates and modes (docs/protocol.md "Duplicates"). They
 * travel with the outcome of a model call, so that the workflow needs no registry of its own.
 */
export interface ToolDeclaration {
  /** Registered name; an alias the model used is resolved to it. */
  readonly name: string;
  readonly effect: ToolEffect;
  /** Names of arguments that hold workspace paths; folded before they are compared. */
  readonly pathArguments: string[];
  /** Names of result fields that change without meaning (compared polls leave them out). */
  readonly volatileFields: string[];
  /** `false`: the same call again is a second effect (sends, appends) and never allowed in a turn. */
  readonly idempotentHint?: boolean;
  /** Arguments that are filled in when absent. */
  readonly defaults: Record<string, JsonValue>;
  /**
   * Present on a tool whose success begins a write session: the model's next texts are a file (docs/write-sessions.md
   * "In a turn"). Names of the result fields that hold the session's id and the file's path as it was asked for.
   */
  readonly beginsWriteSession?: { readonly sessionId: string; readonly target: string };
  /** Somebody outside answers it, who is asked by a request of this kind: it runs nothing by itself. */
  readonly asks?: 'question' | 'client_tool';
  /** Milliseconds that one execution may take; absent: what every tool has. */
  readonly longestMs?: number;
  /** True when the tool's argument `command` is for a shell; `exit_code` of a result then is that of the command. */
  readonly runsCommand?: boolean;
  /**
   * A person is asked about each call that no rule allows, whatever the setting: `unless_allowed`. `each_call`: and a
   * reply is good for that one call.
   */
  readonly needsApproval?: 'unless_allowed' | 'each_call';
}

/**
 * The plan-mode rule (docs/tools.md): only tools that are known to change nothing. It decides what the model is
 * offered, what the protocol refuses, and once more what the runner executes.
 */
export const allowedIn = (mode: TurnMode, { effect }: Pick<ToolDeclaration, 'effect'>): boolean =>
  mode === 'act' || effect !== 'write';

/** A tool as it is offered to the model. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/**
 * `error` of a result whose call may or may not have taken effect, alone or followed by `: <reason>`; the protocol core
 * never repeats such a call.
 */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';

/** Outcome of one execution (docs/tools.md). Expected failures are data, never exceptions. */
export interface ToolResult {
  readonly toolCallId: string;
  /** `Tool.action`: the registered name with its first `_` as `.`; MCP names unchanged. */
  readonly toolName: string;
  readonly success: boolean;
  readonly result?: JsonValue;
  readonly error?: string;
  readonly details?: JsonValue;
  /** The failure was a passing one: the model may try the identical call once more. */
  readonly retryable?: boolean;
  readonly attempts: number;
  readonly durationMs: number;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The reply that lets a call run; its execution names it. */
export interface ToolApproval {
  readonly inputId: string;
  /** True when the approval is good for one execution alone; false: for all calls of its tool in this turn. */
  readonly once: boolean;
  /**
   * Hash of the arguments that were shown: nothing else runs. Absent for a later call of a tool that was allowed for
   * the turn.
   */
  readonly argsHash?: string;
}
