import { z } from 'zod';
import { ASK_USER, BUILT_IN_TOOLS } from './built-in-tools.ts';
import { jsonObjectSchema } from '../values/json-value.ts';
import { toolEffectSchema } from './tool-call.ts';
import { isMcpTool } from './tool-name.ts';

const MAX_CLIENT_TOOLS = 64;
/** Bytes of JSON that the declarations of one message may have together. */
export const MAX_CLIENT_TOOL_BYTES = 64 * 1_024;

const OURS: ReadonlySet<string> = new Set([...BUILT_IN_TOOLS, ASK_USER].map(({ name }) => name));

/** A tool that runs at the client: the turn asks for its result by a request of the kind `client_tool`. */
const clientToolSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1-64 characters of A-Z a-z 0-9 _ -')
    .refine((name) => !OURS.has(name) && !isMcpTool(name), 'expected a name that is none of ours')
    .describe('Not that of a tool of ours, nor mcp__…; an alias of ours gives way.'),
  description: z.string().refine((text) => text.trim() !== '', 'expected text that is not blank'),
  parameters: jsonObjectSchema
    .default({ type: 'object', properties: {} })
    .describe('JSON Schema of its arguments, for the model; whether they fit it the client says.'),
  effect: toolEffectSchema
    .default('write')
    .describe('`read` and `poll` are offered in plan mode, too; it decides which calls are repeats.'),
});
export type ClientTool = z.infer<typeof clientToolSchema>;

/** The field `tools` of a message: what runs at its client. */
export const clientToolsSchema = z
  .array(clientToolSchema)
  .max(MAX_CLIENT_TOOLS)
  .refine(
    (tools) => new Set(tools.map(({ name }) => name)).size === tools.length,
    'expected every name once',
  );
