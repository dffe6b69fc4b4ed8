import { isAllowedIn, type TurnMode, type ToolDefinition } from '../../contracts/tools/tool-call.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import { askUserTool } from './ask-user.ts';
import { createClientTool } from './client-tool.ts';
import { compareDefinitions, definitionOf, type ToolRegistry } from '../registry.ts';
import type { Tool } from '../tool.ts';

/**
 * The choice of tools that one turn has in addition to those of every turn: a question to its user, and the tools that
 * its client declared.
 */
export interface TurnToolChoice {
  readonly mayAskUser: boolean;
  readonly client: readonly ClientTool[];
}

/** Returns the tools that only this turn has, those of its client first. */
export const turnToolsOf = ({ mayAskUser, client }: TurnToolChoice): readonly Tool[] => [
  ...client.map(createClientTool),
  ...(mayAskUser ? [askUserTool] : []),
];

/** Returns the turn tools that are allowed in a mode, as they are offered to the model. */
export const turnToolDefinitions = (turnTools: readonly Tool[], mode: TurnMode): readonly ToolDefinition[] =>
  turnTools.filter(({ declaration }) => isAllowedIn(mode, declaration)).map(definitionOf);

/**
 * Returns the registry as one turn sees it. A name is looked up among the turn tools first, so that an alias in the
 * registry gives way to them. Definitions are sorted together.
 */
export const withTurnTools = (registry: ToolRegistry, turnTools: readonly Tool[] = []): ToolRegistry => {
  if (turnTools.length === 0) return registry;
  // The first of two turn tools with the same name wins: a client's tool `ask` comes before the alias `ask` of Orion's
  // tool.
  const byName = new Map(turnTools.toReversed().flatMap((tool) => namesOf(tool).map((name) => [name, tool])));
  return {
    find: async (name) => byName.get(name) ?? registry.find(name),
    describe: (name) => byName.get(name)?.declaration ?? registry.describe(name),
    definitions: (mode) =>
      [...registry.definitions(mode), ...turnToolDefinitions(turnTools, mode)].sort(compareDefinitions),
  };
};

const namesOf = ({ declaration, aliases }: Tool): readonly string[] => [declaration.name, ...aliases];
