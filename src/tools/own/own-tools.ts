import { isAllowedIn, type TurnMode, type ToolDefinition } from '../../contracts/tools/tool-call.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import { askUserTool } from './ask-user.ts';
import { createClientTool } from './client-tool.ts';
import { compareDefinitions, definitionOf, type ToolRegistry } from '../registry.ts';
import type { Tool } from '../tool.ts';

/**
 * The tools that one turn has beside those of every turn: a question to its user, and the tools that its client
 * declared.
 */
export interface OwnToolChoice {
  readonly mayAskUser: boolean;
  readonly client: readonly ClientTool[];
}

/** Returns the tools that only this turn has, those of its client first. */
export const ownToolsOf = ({ mayAskUser, client }: OwnToolChoice): readonly Tool[] => [
  ...client.map(createClientTool),
  ...(mayAskUser ? [askUserTool] : []),
];

/** Returns Orion's own tools as they are offered to the model in a mode. */
export const ownDefinitions = (own: readonly Tool[], mode: TurnMode): readonly ToolDefinition[] =>
  own.filter(({ declaration }) => isAllowedIn(mode, declaration)).map(definitionOf);

/**
 * Returns the registry as one turn sees it: the turn's own tools come first, so that an alias of ours gives way to
 * them.
 */
export const withOwnTools = (registry: ToolRegistry, own: readonly Tool[] = []): ToolRegistry => {
  if (own.length === 0) return registry;
  // The first of two tools with the same name wins: `ask` is a client's tool rather than ours.
  const byName = new Map(own.toReversed().flatMap((tool) => namesOf(tool).map((name) => [name, tool])));
  return {
    find: async (name) => byName.get(name) ?? registry.find(name),
    describe: (name) => byName.get(name)?.declaration ?? registry.describe(name),
    definitions: (mode) =>
      [...registry.definitions(mode), ...ownDefinitions(own, mode)].sort(compareDefinitions),
  };
};

const namesOf = ({ declaration, aliases }: Tool): readonly string[] => [declaration.name, ...aliases];
