import { sql } from 'kysely';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { Database } from '../connection/database.ts';
import { type Branch, loadBranch } from './branch.ts';
import { type NextTurnPosition, positionCteAfter } from './turn-position.ts';
import { type EarlierTexts, loadTexts } from './transcript-repository.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/**
 * The result of finding the position of the next turn. `mode` is the mode of the turn before it, or null if there is
 * none.
 */
export type PositionOutcome =
  | { readonly kind: 'found'; readonly position: NextTurnPosition; readonly mode: TurnMode | null }
  | { readonly kind: 'unknown_conversation' }
  | { readonly kind: 'unknown_turn' };

/** Reads what the prompt of a turn would contain if it were asked for now. */
export interface NextTurnRepository {
  /**
   * Finds the position after the turn `leaf`, which must belong to the conversation. Undefined means the conversation's
   * newest turn.
   */
  find(key: ConversationKey, leaf: string | undefined): Promise<PositionOutcome>;
  /** Reads the turns before the position, and the other facts on which its prompt depends. */
  loadBranch(position: NextTurnPosition): Promise<Branch>;
  /**
   * Loads the texts of the turns from the anchor to the leaf, both included, and the summary `summaryTurnId` of the
   * turns before them.
   */
  load(leaf: string, anchorTurnId: string, summaryTurnId: string | null): Promise<EarlierTexts>;
}

/** Creates the repository of next turns in Postgres, which reads `conversations` and `turns`. */
export const createNextTurnRepository = (db: Database): NextTurnRepository => ({
  find: (key, leaf) => findPosition(db, key, leaf),
  loadBranch: (position) => loadBranch(db, positionCteAfter(position)),
  load: (leaf, anchorTurnId, summaryTurnId) =>
    loadTexts(db, { turnId: leaf, anchorTurnId, summaryTurnId, includesTurn: true }),
});

const findPosition = async (
  db: Database,
  { projectId, conversationId }: ConversationKey,
  leaf: string | undefined,
): Promise<PositionOutcome> => {
  const { rows } = await sql<{ turnId: string | null; mode: TurnMode | null }>`
    select leaf.turn_id as "turnId", leaf.mode
    from conversations found left join turns leaf
      on leaf.turn_id = coalesce(${leaf ?? null}::text, found.last_turn_id) and leaf.removed_at is null
        and leaf.project_id = found.project_id and leaf.conversation_id = found.conversation_id
    where found.project_id = ${projectId} and found.conversation_id = ${conversationId}`.execute(db);
  const [row] = rows;
  if (!row) return { kind: 'unknown_conversation' };
  if (leaf !== undefined && row.turnId === null) return { kind: 'unknown_turn' };
  return { kind: 'found', position: { projectId, conversationId, leaf: row.turnId }, mode: row.mode };
};
