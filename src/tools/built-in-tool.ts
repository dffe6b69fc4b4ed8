import { BUILT_IN_TOOLS, toolAlias } from '../contracts/tools/built-in-tools.ts';
import type { Tool } from './tool.ts';

/**
 * Time in milliseconds after which a tool stops looking through files. It is less than the runner's own limit
 * (`DEFAULT_ATTEMPT_LIMITS`), so that the tool can return what it has found.
 */
export const SEARCH_LIMIT_MS = 20_000;

/**
 * Returns the declaration and the aliases of a built-in tool, to be spread into its definition. Throws an Error for a
 * name that `BUILT_IN_TOOLS` lacks.
 */
export const builtInTool = (name: string): Pick<Tool, 'declaration' | 'aliases'> => {
  const declaration = BUILT_IN_TOOLS.find((tool) => tool.name === name);
  if (declaration === undefined) throw new Error(`built-in tool: expected a declared name, received ${name}`);
  return { declaration, aliases: [toolAlias(name)] };
};
