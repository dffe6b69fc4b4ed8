import { z } from 'zod';

/** A tool call in the wire form of OpenAI chat completions; `arguments` is the raw JSON text. */
export const toolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** An answer with more is malformed as a whole: no work of a turn needs them, and each costs a reader its time. */
export const MOST_CALLS_PER_ANSWER = 128;

export const modeSchema = z.enum(['plan', 'act']);
/** `plan`: read and poll tools only. `act`: every tool. */
export type Mode = z.infer<typeof modeSchema>;

export const toolEffectSchema = z.enum(['read', 'write', 'poll']);
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/**
 * What the protocol core must know of a tool to judge duplicates and modes (docs/protocol.md "Duplicates").
 * It travels with the outcome of a model call, so the workflow needs no registry of its own.
 */
export const toolDeclarationSchema = z.object({
  /** Registered name; an alias the model used is resolved to it. */
  name: z.string(),
  effect: toolEffectSchema,
  /** Names of arguments that hold workspace paths; folded before they are compared. */
  pathArguments: z.array(z.string()),
  /** Names of result fields that change without meaning (compared polls leave them out). */
  volatileFields: z.array(z.string()),
  /** `false`: the same call again is a second effect (sends, appends) and never allowed in a turn. */
  idempotentHint: z.boolean().optional(),
  /** Arguments that are filled in when absent. */
  defaults: z.record(z.string(), z.json()),
});
export type ToolDeclaration = z.infer<typeof toolDeclarationSchema>;

/** A tool as it is offered to the model. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** Outcome of one execution (docs/tools.md). Expected failures are data, never exceptions. */
export const toolResultSchema = z.object({
  toolCallId: z.string(),
  /** `Tool.action`: the registered name with its first `_` as `.`; MCP names unchanged. */
  toolName: z.string(),
  success: z.boolean(),
  result: z.json().optional(),
  error: z.string().optional(),
  details: z.json().optional(),
  /** The failure was a passing one: the model may try the identical call once more. */
  retryable: z.boolean().optional(),
  attempts: z.number().int(),
  durationMs: z.number(),
  /** ISO 8601. */
  timestamp: z.string(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;
