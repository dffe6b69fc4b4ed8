import { sql } from 'kysely';
import type { WriteSessionInput } from '../contracts/write-session.ts';
import type { Database } from './database.ts';
import { findWriteSession, toWriteSessionRow, type WriteSessionRow } from './write-session-row.ts';

/** `busy`: the open sessions in the way, the one least lately looked after first. */
export type SessionInsertOutcome =
  | { readonly kind: 'inserted'; readonly row: WriteSessionRow }
  | { readonly kind: 'exists'; readonly row: WriteSessionRow }
  | { readonly kind: 'busy'; readonly rows: readonly WriteSessionRow[] };

/** Conflicts with sessions that end, or slots that others take, between insert and lookup. */
const MAX_TRIES = 10;
/** Each of them costs the caller a question to Temporal. */
const MOST_IN_THE_WAY = 10;

/**
 * Takes a free slot of 1 … `maxConcurrent` and the target, or neither. On a conflict the own id is looked up
 * first: a repeated begin is the same begin (write-sessions.md "writeSessionWorkflow").
 */
export async function insertWriteSession(
  db: Database,
  input: WriteSessionInput,
  targetKey: string,
  maxConcurrent: number,
): Promise<SessionInsertOutcome> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const inserted = await tryInsert(db, input, targetKey, maxConcurrent);
    if (inserted) return { kind: 'inserted', row: inserted };
    const own = await findWriteSession(db, input.sessionId);
    if (own) return { kind: 'exists', row: own };
    const rows = await findInTheWay(db, targetKey, maxConcurrent);
    if (rows.length > 0) return { kind: 'busy', rows };
  }
  throw new Error(
    `Write session ${input.sessionId} met ${MAX_TRIES} conflicts with sessions that had ended when looked up.`,
  );
}

const COLUMNS = [
  'session_id',
  'project_id',
  'turn_id',
  'target_file',
  'target_key',
  'operation',
  'start_input',
  'slot',
] as const;

/** One statement; undefined when no slot is free, or on any conflict. */
async function tryInsert(
  db: Database,
  input: WriteSessionInput,
  targetKey: string,
  maxConcurrent: number,
): Promise<WriteSessionRow | undefined> {
  const row = await db
    .insertInto('write_sessions')
    .columns([...COLUMNS])
    .expression((from) =>
      from
        .selectFrom(freeSlots(maxConcurrent))
        .select(({ val, cast }) => [
          val(input.sessionId).as('session_id'),
          val(input.projectId).as('project_id'),
          val(input.turnId ?? null).as('turn_id'),
          val(input.targetFile).as('target_file'),
          val(targetKey).as('target_key'),
          val(input.operation).as('operation'),
          cast<string>(val(JSON.stringify(input)), 'json').as('start_input'),
          'free.slot',
        ])
        .orderBy('free.slot')
        .limit(1),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && toWriteSessionRow(row);
}

const freeSlots = (maxConcurrent: number) =>
  sql<{ slot: number }>`(
  select slot from generate_series(1, ${maxConcurrent}::integer) slot
  where not exists (
    select from write_sessions taken where taken.slot = slot.slot and taken.state <> 'ended')
)`.as('free');

/** The session on the same target or, where the slots are the trouble, those that hold them. */
async function findInTheWay(
  db: Database,
  targetKey: string,
  maxConcurrent: number,
): Promise<WriteSessionRow[]> {
  const rows = await db
    .selectFrom('write_sessions')
    .selectAll()
    .where('state', '<>', 'ended')
    .where(({ or, eb }) => or([eb('target_key', '=', targetKey), eb('slot', '<=', maxConcurrent)]))
    .orderBy(({ eb }) => eb('target_key', '=', targetKey), 'desc')
    .orderBy(({ fn }) => fn.coalesce('swept_at', 'started_at'))
    .execute();
  const [first] = rows;
  const sameTarget = first?.target_key === targetKey;
  if (!sameTarget && rows.length < maxConcurrent) return [];
  return rows.slice(0, sameTarget ? 1 : MOST_IN_THE_WAY).map(toWriteSessionRow);
}
