import { BUILT_IN_TOOLS, toolAlias } from '../contracts/tools/built-in-tools.ts';
import type { Tool } from './tool.ts';

/**
 * Milliseconds that a tool looks through files. They are fewer than the runner's own limit, so that what was found
 * until then is shown.
 */
export const SEARCH_LIMIT_MS = 20_000;

/**
 * Returns declaration and alias of a built-in tool, to be spread into its definition. Throws for an undeclared name.
 */
export const builtInTool = (name: string): Pick<Tool, 'declaration' | 'aliases'> => {
  const declaration = BUILT_IN_TOOLS.find((tool) => tool.name === name);
  if (declaration === undefined) throw new Error(`built-in tool: expected a declared name, received ${name}`);
  return { declaration, aliases: [toolAlias(name)] };
};
