import { isRecord } from '../../contracts/values/unchecked-value.ts';

/**
 * Other names under which clients send a field, by our name. If several are sent, our name wins, then the first in the
 * list.
 */
export type FieldAliases = Readonly<Record<string, readonly string[]>>;

const PROJECT = ['project_id', 'external_id'];
const CONVERSATION = ['conversation_id'];

/** Other names that the fields of a posted message may have. */
export const MESSAGE_ALIASES: FieldAliases = {
  projectId: PROJECT,
  conversationId: CONVERSATION,
  content: ['message'],
  requestId: ['request_id'],
  parentTurnId: ['parent_turn_id'],
};
/** Other names in a query for a conversation of a project. */
export const QUERY_ALIASES: FieldAliases = { projectId: PROJECT, conversationId: CONVERSATION };
/** Other names in a query for a project. */
export const PROJECT_ALIASES: FieldAliases = { projectId: PROJECT };

/**
 * Moves the value of an alias to our name. Returns the input itself if it is no object, which the schema then refuses,
 * or has no aliases, since copying an object with 100,000 names takes longer than parsing it.
 */
export const foldAliases = (input: unknown, aliases: FieldAliases): unknown => {
  if (!isRecord(input)) return input;
  const valueOf = (name: string): unknown => (Object.hasOwn(input, name) ? input[name] : undefined);
  const folded = Object.entries(aliases).flatMap(([name, others]) => {
    const received = [name, ...others].find((key) => valueOf(key) !== undefined);
    return received === undefined || received === name ? [] : [[name, valueOf(received)] as const];
  });
  return folded.length === 0 ? input : { ...input, ...Object.fromEntries(folded) };
};
