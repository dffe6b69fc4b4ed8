import { z } from 'zod';
import type { JsonValue } from '../values/json-value.ts';

/** A tool call in the wire form of OpenAI chat completions; `arguments` is the raw JSON text. */
export const toolCallSchema = z.object({
  id: z.string().describe('Id of the call.'),
  type: z.literal('function'),
  function: z
    .object({
      name: z.string().describe('Name of the tool.'),
      arguments: z
        .string()
        .describe('The arguments as JSON text. It may be incomplete while the model is writing it.'),
    })
    .describe('The tool and its arguments.'),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/**
 * The most tool calls that one answer may have. An answer with more is malformed as a whole: no turn needs more, and
 * each call costs readers time.
 */
export const MAX_CALLS_PER_ANSWER = 128;

/** The mode of a turn: it may change things (`act`) or only look (`plan`). */
export const modeSchema = z
  .enum(['plan', 'act'])
  .describe('`plan`: only tools that change nothing. `act`: all tools.');
/** The mode of a turn, as `modeSchema` explains it. */
export type TurnMode = z.infer<typeof modeSchema>;

/**
 * What a call of a tool does to the world: `read` changes nothing, `write` may change something, and `poll` looks at
 * something that changes by itself.
 */
export const toolEffectSchema = z.enum(['read', 'write', 'poll']);
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/**
 * What the protocol core must know of a tool to judge duplicates and modes (docs/protocol.md "Duplicates"). It travels
 * with the outcome of a model call, so that the workflow needs no registry of its own.
 */
export interface ToolDeclaration {
  /** Registered name; an alias that the model used is resolved to it. */
  readonly name: string;
  readonly effect: ToolEffect;
  /** Names of the arguments that are workspace paths. All spellings of a path count as the same. */
  readonly pathArguments: string[];
  /** Names of result fields that change without meaning. They are left out when the results of a poll are compared. */
  readonly volatileFields: string[];
  /**
   * `false` says that the same call again has a second effect (sends, appends). Once it has succeeded, the turn refuses
   * to repeat it, until a message of its user begins the history of calls anew.
   */
  readonly idempotentHint?: boolean;
  /** Values of arguments that a call leaves out. They count as if the call had them. */
  readonly defaults: Record<string, JsonValue>;
  /**
   * Set on a tool whose success begins a write session: the model's next texts are then the content of a file
   * (docs/write-sessions.md "In a turn"). The values are the names of the result fields for the session's id and for
   * the file's path as the call gave it.
   */
  readonly beginsWriteSession?: { readonly sessionId: string; readonly target: string };
  /** Set on a tool whose calls people or clients answer, in a request of this kind: the tool itself runs nothing. */
  readonly asks?: 'question' | 'client_tool';
  /** Milliseconds that one execution may take. Absent means the time limit that all tools share. */
  readonly longestMs?: number;
  /** True when the tool's argument `command` is for a shell. `exit_code` of a result is that of the command. */
  readonly runsCommand?: boolean;
  /**
   * Set when a person must be asked about each call that no rule allows, whatever the setting. With `each_call`, a
   * reply is also good only for that one call.
   */
  readonly needsApproval?: 'unless_allowed' | 'each_call';
}

/**
 * Reports whether a mode allows a tool. Plan mode allows only tools that are known to change nothing (docs/tools.md).
 * The rule decides what the model is offered, what the protocol refuses, and also what the runner executes.
 */
export const isAllowedIn = (mode: TurnMode, { effect }: Pick<ToolDeclaration, 'effect'>): boolean =>
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
 * `error` of a result whose call may or may not have taken effect, by itself or followed by `: <reason>`. The protocol
 * core refuses to repeat such a call, until a message of the turn's user begins the history of calls anew.
 */
export const OUTCOME_UNKNOWN = 'OUTCOME_UNKNOWN';

/** Reports whether an error says that its call or write may have taken effect. */
export const isOutcomeUnknown = (error: string | undefined): boolean =>
  error?.startsWith(OUTCOME_UNKNOWN) === true;

/** Largest number of problems that the refusal of a call's arguments reports; more would not help the model. */
export const MAX_ARGUMENT_PROBLEMS = 20;

/** Time in milliseconds for all attempts of one call together, unless its tool has a time of its own. */
export const DEFAULT_TOOL_TIMEOUT_MS = 30_000;

/** Outcome of one execution (docs/tools.md). Expected failures are data, never exceptions. */
export interface ToolResult {
  readonly toolCallId: string;
  /** The name as `Tool.action`, which is the registered name with its first `_` as `.`; MCP names are unchanged. */
  readonly toolName: string;
  readonly success: boolean;
  readonly result?: JsonValue;
  readonly error?: string;
  readonly details?: JsonValue;
  /** True when the failure may be temporary, so that the model may try the identical call once more. */
  readonly retryable?: boolean;
  /**
   * How often the call was tried, retries included. 0 if something kept a valid call from running, such as a denial.
   */
  readonly attempts: number;
  readonly durationMs: number;
  /** When the execution ended, in ISO 8601. */
  readonly timestamp: string;
}

/** The reply that allows a call. The ledger stores it with the execution. */
export interface ToolApproval {
  readonly inputId: string;
  /**
   * True when the approval is good for only one execution. False when it is good for all calls of its tool in this
   * turn.
   */
  readonly once: boolean;
  /**
   * Hash of the call as it was shown. A call with another hash does not run. Absent for a later call of a tool that was
   * allowed for the turn, and for a call that a person answered.
   */
  readonly argsHash?: string;
}
