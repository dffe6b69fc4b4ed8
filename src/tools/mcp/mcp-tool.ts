import { z } from 'zod';
import type { McpServerSettings } from '../../config/files/mcp-servers.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { ToolEffect } from '../../contracts/tools/tool-call.ts';
import type { Log } from '../../base/log.ts';
import { toSafeJson } from '../../base/json/safe-json.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import type { ArgumentIssue, ArgumentRequest } from './argument-check.ts';
import { mcpToolName } from './mcp-names.ts';
import type { ListedTool } from './mcp-requests.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest description, in characters. A longer one is cut, since descriptions are in every prompt. */
const MAX_DESCRIPTION = 2_048;
/** Largest schema, as `fitsInto` measures it. A tool with a larger one is not offered. */
const MAX_SCHEMA_LENGTH = 32 * KIB;

/** A call as the server gets it, and what it may change. */
export interface McpCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly effect: ToolEffect;
  /** True when the tool does not write, or when a trusted server says that a repeat has no further effect. */
  readonly mayRunAgain: boolean;
}

type Execute = (call: McpCall, context: ToolContext) => Promise<ToolOutcome>;

/**
 * The log for MCP servers: connections that are opened, fail or are lost, tools that are left out, and what servers
 * write to stderr.
 */
export type McpLog = Pick<Log, 'debug' | 'info' | 'warn'>;

/** What the tools of a server need in order to run. */
export interface McpToolDeps {
  /** Calls the tool on the server. */
  readonly execute: Execute;
  /** Finds problems of arguments for the tool `name`, as far as its schema can be checked. */
  readonly check: (name: string, request: ArgumentRequest) => Promise<readonly ArgumentIssue[]>;
}

/** Returns a server's tool as a tool of Orion, or undefined when its schema is too large to be in every prompt. */
export const mcpTool = (
  server: McpServerSettings,
  offered: ListedTool,
  { execute, check }: McpToolDeps,
): Tool | undefined => {
  if (!fitsInto(offered.inputSchema, MAX_SCHEMA_LENGTH)) return undefined;
  const parameters = objectSchema(offered.inputSchema);
  const { name, annotations } = offered;
  const effect = effectOf(server, offered);
  const mayRunAgain =
    effect !== 'write' || (server.trustsAnnotations && annotations?.idempotentHint === true);
  return {
    declaration: {
      name: mcpToolName(server.name, name),
      effect,
      pathArguments: [],
      // A server may call its tool `constructor`, which every object has.
      volatileFields: Object.hasOwn(server.volatileFields, name)
        ? [...(server.volatileFields[name] ?? [])]
        : [],
      defaults: {},
      ...(annotations?.idempotentHint !== undefined && { idempotentHint: annotations.idempotentHint }),
    },
    aliases: [],
    description: safeText(offered.description ?? annotations?.title ?? name)
      .slice(0, MAX_DESCRIPTION)
      .toWellFormed(),
    input: inputOf((args) => check(name, { schema: parameters, args })),
    parameters,
    ...(server.timeoutMs !== undefined && { timeoutMs: server.timeoutMs }),
    execute: (input, context) =>
      execute({ tool: name, args: input as McpCall['args'], effect, mayRunAgain }, context),
  };
};

/**
 * Returns the effect from the configuration, otherwise from the annotations of a trusted server. Everything else is a
 * write.
 */
const effectOf = (
  { effects, trustsAnnotations }: McpServerSettings,
  { name, annotations }: ListedTool,
): ToolEffect =>
  (Object.hasOwn(effects, name) ? effects[name] : undefined) ??
  (trustsAnnotations && annotations?.readOnlyHint === true ? 'read' : 'write');

const objectSchema = (schema: unknown): Record<string, unknown> => {
  const { $schema: _dialect, ...rest } = toSafeJson(schema) as Record<string, unknown>;
  return { properties: {}, ...rest, type: 'object' };
};

/**
 * Reports whether the keys and strings of a JSON value have at most `limit` characters together. Each value counts as
 * one or two more.
 */
const fitsInto = (value: unknown, limit: number): boolean => {
  const pending = [value];
  let remainingCharacters = limit;
  while (pending.length > 0 && remainingCharacters >= 0) {
    const next = pending.pop();
    remainingCharacters -= typeof next === 'string' ? next.length + 1 : 1;
    if (typeof next !== 'object' || next === null) continue;
    remainingCharacters -= Array.isArray(next) ? next.length : Object.keys(next).join('').length;
    if (remainingCharacters >= 0) pending.push(...Object.values(next));
  }
  return remainingCharacters >= 0;
};

/**
 * Returns a schema that checks arguments by `check`. They are checked before the server is called, because its own
 * errors rarely name the problem.
 */
const inputOf = (check: (args: ArgumentRequest['args']) => Promise<readonly ArgumentIssue[]>): z.ZodType =>
  z.record(z.string(), z.unknown()).superRefine(async (args, context) => {
    for (const { path, message } of await check(args)) context.addIssue({ code: 'custom', path, message });
  });
