/** Which turns of a conversation are shown: one branch of their tree, and where it leaves others. Pure. */
import { type Exchange, type HistoryItem, isExchange, type ShownNote } from './history.ts';

/** An exchange of the branch. `versions`: all turns that go on from the same one, itself among them, oldest first. */
export interface BranchedExchange extends Exchange {
  readonly versions: readonly string[];
}

/** One item of the branch that is shown, from top to bottom. */
export type BranchItem = BranchedExchange | ShownNote;

/**
 * The branch on which a turn lies, with the newest that goes on from it; of an unknown turn that of the newest of all.
 * Notes stand on every branch. `items` may begin in the middle of a conversation: so does the branch.
 */
export const branchOf = (
  items: readonly HistoryItem[],
  turnId: string | undefined,
): readonly BranchItem[] => {
  const exchanges = items.filter(isExchange);
  const byId = new Map(exchanges.map((exchange) => [exchange.turnId, exchange]));
  const children = Map.groupBy(exchanges, ({ parentTurnId }) => parentTurnId);
  const shown = new Set<string>();
  const start = (turnId === undefined ? undefined : byId.get(turnId)) ?? exchanges.at(-1);
  for (let at = start; at && !shown.has(at.turnId); at = byId.get(at.parentTurnId ?? ''))
    shown.add(at.turnId);
  for (let at = newestChild(children, start); at && !shown.has(at.turnId); at = newestChild(children, at))
    shown.add(at.turnId);
  return items.flatMap((item): BranchItem[] => {
    if (!isExchange(item)) return [item];
    if (!shown.has(item.turnId)) return [];
    const versions = (children.get(item.parentTurnId) ?? []).map((each) => each.turnId);
    return [{ ...item, versions }];
  });
};

const newestChild = (
  children: ReadonlyMap<string | null, readonly Exchange[]>,
  parent: Exchange | undefined,
): Exchange | undefined => parent && children.get(parent.turnId)?.at(-1);

/** What a message at the end of a branch goes on from: its last turn that the gateway has taken; undefined: none. */
export const endOf = (branch: readonly BranchItem[]): string | undefined =>
  branch.filter(isExchange).findLast(({ unsent }) => unsent === undefined)?.turnId;
