import { z } from 'zod';
import { ASK_USER, BUILT_IN_TOOLS } from './built-in-tools.ts';
import { jsonObjectSchema } from '../values/json-value.ts';
import { toolEffectSchema } from './tool-call.ts';
import { isMcpTool } from './tool-name.ts';
import { KIB } from '../values/units.ts';

const MAX_CLIENT_TOOLS = 64;
/** The most bytes of JSON that the tool declarations of one message may have together. */
export const MAX_CLIENT_TOOL_BYTES = 64 * KIB;

const RESERVED_TOOL_NAMES: ReadonlySet<string> = new Set(
  [...BUILT_IN_TOOLS, ASK_USER].map(({ name }) => name),
);

/** A tool that runs at the client: the turn asks for its result by a request of the kind `client_tool`. */
const clientToolSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1-64 characters of A-Z a-z 0-9 _ -')
    .refine(
      (name) => !RESERVED_TOOL_NAMES.has(name) && !isMcpTool(name),
      'expected a name that no built-in tool has and that does not begin with mcp__',
    )
    .describe(
      'Must not be the name of a built-in tool or begin with `mcp__`. If it equals an alias of a built-in tool, this tool wins.',
    ),
  description: z
    .string()
    .refine((text) => text.trim() !== '', 'expected text that is not blank')
    .describe('What the tool does, for the model.'),
  parameters: jsonObjectSchema
    .default({ type: 'object', properties: {} })
    .describe(
      'JSON Schema of the arguments. Orion passes it to the model and does not check arguments against it.',
    ),
  effect: toolEffectSchema
    .default('write')
    .describe(
      'What a call does to the world. Decides which calls count as repeats. Tools with `read` or `poll` are offered in plan mode, too.',
    ),
});
export type ClientTool = z.infer<typeof clientToolSchema>;

/** The field `tools` of a message: the tools that run at its client. */
export const clientToolsSchema = z
  .array(clientToolSchema)
  .max(MAX_CLIENT_TOOLS)
  .refine(
    (tools) => new Set(tools.map(({ name }) => name)).size === tools.length,
    'expected every name once',
  );
