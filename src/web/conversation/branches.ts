/* Finds the branch of a conversation that is shown, and where other branches leave it. All functions here are pure. */
import { type Exchange, type HistoryItem, isExchange, type NoteItem } from './history.ts';

/**
 * An exchange of the branch that is shown. `versions` are the ids of all turns with the same parent that were read,
 * including its own, oldest first. It is empty for a message that the gateway has not accepted.
 */
export interface BranchedExchange extends Exchange {
  readonly versions: readonly string[];
}

/** An item of the branch that is shown. */
export type BranchItem = BranchedExchange | NoteItem;

/**
 * Returns the branch that contains a turn, oldest item first: the turn, the turns before it, and the turns after it, at
 * each fork along the newest one. For an unknown turn it is the branch of the newest turn. Notes belong to every
 * branch. If `items` begins in the middle of a conversation, so does the branch. Unsent messages come last, because
 * they belong to no branch until the gateway accepts them.
 */
export const branchOf = (
  items: readonly HistoryItem[],
  turnId: string | undefined,
): readonly BranchItem[] => {
  const exchanges = items.filter(isExchange);
  const accepted = exchanges.filter(({ unsent }) => unsent === undefined);
  const children = Map.groupBy(accepted, ({ parentTurnId }) => parentTurnId);
  const shownIds = shownTurns(
    accepted,
    children,
    exchanges.find((exchange) => exchange.turnId === turnId),
  );
  const branch = items.flatMap((item): BranchItem[] => {
    if (!isExchange(item)) return [item];
    if (!shownIds.has(item.turnId)) return [];
    const versions = (children.get(item.parentTurnId) ?? []).map((each) => each.turnId);
    return [{ ...item, versions }];
  });
  const unsent = exchanges.filter((exchange) => exchange.unsent !== undefined);
  return [...branch, ...unsent.map((exchange) => ({ ...exchange, versions: [] }))];
};

type Children = ReadonlyMap<string | null, readonly Exchange[]>;

/**
 * Returns the ids of the turns of the branch. For an unsent message that is to begin a branch, the branch ends with
 * the parent of the message.
 */
const shownTurns = (
  accepted: readonly Exchange[],
  children: Children,
  target: Exchange | undefined,
): ReadonlySet<string> => {
  const byId = new Map(accepted.map((exchange) => [exchange.turnId, exchange]));
  const isBeside = target?.unsent?.isBeside === true;
  const start = byId.get((target?.unsent ? target.parentTurnId : target?.turnId) ?? '');
  const shownIds = new Set<string>();
  const end = isBeside ? start : (start ?? accepted.at(-1));
  for (let at = end; at && !shownIds.has(at.turnId); at = byId.get(at.parentTurnId ?? '')) {
    shownIds.add(at.turnId);
  }
  if (isBeside) return shownIds;
  for (let at = newestChild(children, end); at && !shownIds.has(at.turnId); at = newestChild(children, at)) {
    shownIds.add(at.turnId);
  }
  return shownIds;
};

const newestChild = (children: Children, parent: Exchange | undefined): Exchange | undefined =>
  parent && children.get(parent.turnId)?.at(-1);

/**
 * Returns the turn that a message at the end of a branch gets as its parent. That is the last turn that the gateway has
 * accepted, or undefined if there is none.
 */
export const lastTurnOf = (branch: readonly BranchItem[]): string | undefined =>
  branch.filter(isExchange).findLast(({ unsent }) => unsent === undefined)?.turnId;
