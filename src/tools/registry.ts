import { z } from 'zod';
import type { Mode, ToolDeclaration, ToolDefinition } from '../contracts/tool-call.ts';
import type { Tool } from './tool.ts';

/** The tools of this installation by their exact names and aliases, never by prefix. */
export interface ToolRegistry {
  find(name: string): Tool | undefined;
  describe(name: string): ToolDeclaration | undefined;
  /** What is offered to the model: reads and polls in plan mode, everything in act mode. */
  definitions(mode: Mode): readonly ToolDefinition[];
}

/** The plan-mode rule (tools.md "Contract"), asked again by the runner before it executes. */
export const allowedIn = (mode: Mode, { effect }: ToolDeclaration): boolean =>
  mode === 'act' || effect !== 'write';

/** Throws when two tools claim one name. */
export const createToolRegistry = (tools: readonly Tool[]): ToolRegistry => {
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
  const definitions = tools.map((tool) => ({ tool, definition: definitionOf(tool) }));
  return {
    find: (name) => byName.get(name),
    describe: (name) => byName.get(name)?.declaration,
    definitions: (mode) =>
      definitions.filter(({ tool }) => allowedIn(mode, tool.declaration)).map(({ definition }) => definition),
  };
};

const definitionOf = ({ declaration, description, input }: Tool): ToolDefinition => {
  // Some providers refuse a parameter schema that names its dialect.
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(input, { io: 'input' });
  return { type: 'function', function: { name: declaration.name, description, parameters } };
};
