import { sql } from 'kysely';
import { CHARACTERS_PER_TOKEN } from '../../contracts/model/model-message.ts';
import type { Database } from '../connection/database.ts';
import { PREPARED } from '../connection/prepared-statement.ts';
import type { PositionCte } from './turn-position.ts';

const MAX_OTHER_BRANCH_FILES = 20;
const MAX_NOTES = 50;
const MAX_NOTE_CHARACTERS = 32_000;

/** What the position of a turn in its conversation adds to the prompt, besides the turns before it. */
export interface PositionFacts {
  /** Number of tokens of the message that begins the turn. 0 while there is no message. */
  readonly messageTokens: number;
  /**
   * Files that turns of other branches changed after the same parent, at most 20. Null if no other branch continues the
   * parent.
   */
  readonly otherBranchFiles: readonly string[] | null;
  /**
   * The notes that were posted since the parent began, oldest first. If there are many, only the newest: at most 50 of
   * them, and 32,000 characters.
   */
  readonly notes: readonly string[];
}

interface PositionRow {
  readonly bytes: number;
  readonly leavesBranch: boolean;
  readonly files: readonly string[] | null;
  readonly notes: readonly string[] | null;
}

/**
 * Reads the size of the turn's own message, the files that other branches changed, and the notes that were posted
 * before the message. Notes from before the parent are in the parent's prompt.
 */
export const loadPositionFacts = async (db: Database, position: PositionCte): Promise<PositionFacts> => {
  const { rows } = await sql<PositionRow>`${PREPARED}
    with recursive ${position}, left_turns as (
      select other.turn_id from turn_position join turns other on other.parent_turn_id = turn_position.parent_turn_id
      where other.turn_id is distinct from turn_position.turn_id
      union all
      select turns.turn_id from left_turns join turns on turns.parent_turn_id = left_turns.turn_id
    )
    select bytes, exists (select from left_turns) as "leavesBranch", (
      select json_agg(path order by path) from (
        select path from file_changes join left_turns using (turn_id)
        union
        select target_file from write_sessions join left_turns using (turn_id) where stage = 'committed'
        limit ${MAX_OTHER_BRANCH_FILES}
      ) changed
    ) as files, (
      select json_agg(content order by id) from (
        select id, content from chat_messages note
        where note.project_id = turn_position.project_id and note.conversation_id = turn_position.conversation_id
          and note.turn_id is null and note.content <> '' and (note.id < turn_position.message_id) is not false
          and note.id > coalesce((
            select id from chat_messages first
            where first.turn_id = turn_position.parent_turn_id and first.sender = 'user' and first.steer_id is null), 0)
        order by id desc limit ${MAX_NOTES}
      ) posted
    ) as notes
    from turn_position`.execute(db);
  const [row] = rows;
  return {
    messageTokens: Math.ceil((row?.bytes ?? 0) / CHARACTERS_PER_TOKEN),
    otherBranchFiles: row?.leavesBranch === true ? (row.files ?? []) : null,
    notes: newestNotes(row?.notes ?? []),
  };
};

/** Returns the newest notes that together have at most `MAX_NOTE_CHARACTERS`, oldest first. */
const newestNotes = (notes: readonly string[]): readonly string[] => {
  let room = MAX_NOTE_CHARACTERS;
  const lastLeftOut = notes.findLastIndex((note) => (room -= note.length) < 0);
  return notes.slice(lastLeftOut + 1);
};
