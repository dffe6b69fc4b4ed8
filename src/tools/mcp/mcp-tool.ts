import { z } from 'zod';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { McpServerSettings } from '../../config/mcp-servers.ts';
import { safeText } from '../../contracts/safe-text.ts';
import type { ToolEffect } from '../../contracts/tool-call.ts';
import { toSafeJson } from '../safe-json.ts';
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts';
import { mcpToolName } from './mcp-names.ts';

/** A server's words stand in every prompt: what is longer is cut, or not offered at all. */
const MAX_DESCRIPTION = 2_048;
const MAX_SCHEMA_BYTES = 32 * 1024;

/** A call as the server gets it, and what it may change. */
export interface McpCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly effect: ToolEffect;
}

type Execute = (call: McpCall, context: ToolContext) => Promise<ToolOutcome>;

/** A server's tool as one of ours; undefined when its schema is too large to stand in every prompt. */
export const mcpTool = (
  server: McpServerSettings,
  offered: ServerTool,
  execute: Execute,
): Tool | undefined => {
  const parameters = objectSchema(offered.inputSchema);
  if (Buffer.byteLength(JSON.stringify(parameters)) > MAX_SCHEMA_BYTES) return undefined;
  const { name, annotations } = offered;
  const effect = effectOf(server, offered);
  return {
    declaration: {
      name: mcpToolName(server.name, name),
      effect,
      pathArguments: [],
      volatileFields: [],
      defaults: {},
      ...(annotations?.idempotentHint === undefined ? {} : { idempotentHint: annotations.idempotentHint }),
    },
    aliases: [],
    description: safeText(offered.description ?? annotations?.title ?? name).slice(0, MAX_DESCRIPTION),
    input: inputOf(parameters),
    parameters,
    ...(server.timeoutMs === undefined ? {} : { timeoutMs: server.timeoutMs }),
    execute: (input, context) => execute({ tool: name, args: input as McpCall['args'], effect }, context),
  };
};

/** tools.md: the configuration, else the annotations decide; what does not call itself read-only is a write. */
const effectOf = ({ effects }: McpServerSettings, { name, annotations }: ServerTool): ToolEffect =>
  // A server may call its tool `constructor`, which every object has.
  (Object.hasOwn(effects, name) ? effects[name] : undefined) ??
  (annotations?.readOnlyHint === true ? 'read' : 'write');

const objectSchema = (schema: unknown): Record<string, unknown> => {
  const { $schema: _dialect, ...rest } = toSafeJson(schema) as Record<string, unknown>;
  return { properties: {}, ...rest, type: 'object' };
};

/**
 * What is checked before the server is asked. A schema that zod cannot express is left to the server, which
 * checks its arguments itself.
 */
const inputOf = (parameters: Record<string, unknown>): z.ZodType => {
  const anything = z.record(z.string(), z.unknown());
  try {
    return z.intersection(anything, z.fromJSONSchema(parameters));
  } catch {
    return anything;
  }
};
