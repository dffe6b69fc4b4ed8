import { z } from 'zod';
import {
  isAllowedIn,
  type TurnMode,
  type ToolDeclaration,
  type ToolDefinition,
} from '../contracts/tools/tool-call.ts';
import type { Tool } from './tool.ts';

/** Tools that come and go while the worker runs, which are those of MCP servers. */
export interface ToolSource {
  /** Returns the tools that can be called now. */
  tools(): readonly Tool[];
  /**
   * Finds the tool of that name, or returns undefined if there is none. The servers that it may belong to are first
   * connected, if they are not.
   */
  find(name: string): Promise<Tool | undefined>;
}

/** The tools of this installation by their exact names and aliases, never by prefix. */
export interface ToolRegistry {
  /**
   * Finds the tool for a call, or returns undefined if there is none. It may wait for an MCP server, because another
   * worker may have offered the tool of a server to which this worker has yet to connect.
   */
  find(name: string): Promise<Tool | undefined>;
  /**
   * Returns the declaration of a tool that can be called now. Returns undefined for any other name, and waits for no
   * server.
   */
  describe(name: string): ToolDeclaration | undefined;
  /**
   * Returns the tools that are offered to the model, sorted by name: reads and polls in plan mode, everything in act
   * mode.
   */
  definitions(mode: TurnMode): readonly ToolDefinition[];
}

/**
 * Creates the registry. Throws an Error when two of `tools` share a name or an alias. A tool of `source` that has one
 * of those names is neither offered nor found.
 */
export const createToolRegistry = (tools: readonly Tool[], source: ToolSource = NO_SOURCE): ToolRegistry => {
  const byName = indexByName(tools);
  const all = (): readonly Tool[] => [
    ...tools,
    ...source.tools().filter(({ declaration }) => !byName.has(declaration.name)),
  ];
  return {
    find: async (name) => byName.get(name) ?? source.find(name),
    describe: (name) =>
      (byName.get(name) ?? source.tools().find(({ declaration }) => declaration.name === name))?.declaration,
    definitions: (mode) =>
      all()
        .filter(({ declaration }) => isAllowedIn(mode, declaration))
        .map(definitionOf)
        .sort(compareDefinitions),
  };
};

/**
 * Compares two tools by name. Tools are offered in this order, so that prompts begin alike, whatever the order in which
 * servers have listed them.
 */
export const compareDefinitions = (
  { function: a }: ToolDefinition,
  { function: b }: ToolDefinition,
): number => {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
};

const NO_SOURCE: ToolSource = { tools: () => [], find: () => Promise.resolve(undefined) };

const indexByName = (tools: readonly Tool[]): ReadonlyMap<string, Tool> => {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    for (const name of [tool.declaration.name, ...tool.aliases]) {
      const holder = byName.get(name)?.declaration.name;
      if (holder !== undefined) {
        throw new Error(
          `tool name ${name}: expected one owner, received ${holder} and ${tool.declaration.name}`,
        );
      }
      byName.set(name, tool);
    }
  }
  return byName;
};

/** Definitions by tool, each made only once, since they are in the prompt of every model call. */
const definitionsMade = new WeakMap<Tool, ToolDefinition>();

/** Returns a tool as it is offered to the model. */
export const definitionOf = (tool: Tool): ToolDefinition => {
  const made = definitionsMade.get(tool) ?? makeDefinition(tool);
  definitionsMade.set(tool, made);
  return made;
};

const makeDefinition = ({
  declaration,
  description,
  input,
  parameters: ownParameters,
}: Tool): ToolDefinition => {
  // Some providers refuse a parameter schema that names its dialect.
  const { $schema: _dialect, ...parameters } = ownParameters ?? z.toJSONSchema(input, { io: 'input' });
  return { type: 'function', function: { name: declaration.name, description, parameters } };
};
