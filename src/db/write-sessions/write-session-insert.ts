import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TurnStatus } from '../../contracts/turn/turn-facts.ts';
import type { WriteSessionInput } from '../../contracts/payload/session-workflow-payloads.ts';
import type { Database } from '../connection/database.ts';
import { targetLock } from '../claims/free-target.ts';
import { findWriteSession, toWriteSessionRow, type WriteSessionRow } from './write-session-row.ts';

/**
 * What a session takes when it begins: its target until it has ended, and a slot of its owner until it has ended or is
 * held for a person.
 */
export interface SessionLock {
  /** One key for all names of a file, over all projects. */
  readonly targetKey: string;
  /** Name of the API key that begins the session. Absent means the key of its turn, or `local` without keys. */
  readonly owner?: string | undefined;
  /**
   * Number of slots of one owner: the most sessions that the owner may have open at a time, without those that are
   * held.
   */
  readonly maxConcurrent: number;
}

/** A session that holds the target or a slot that another session needs. */
export interface BlockingSession extends WriteSessionRow {
  /** Conversation of the turn that began the session. Null if no turn began it. */
  readonly conversationId: string | null;
  /** Id of the request about the session's commit that waits for a reply. Null if there is none. */
  readonly openInputId: string | null;
  /**
   * True if the turn that began this session has ended, and the turn that begins now is of the same conversation or, if
   * the ended one was cancelled, of the same project. Then only a person could still write the session. Never true
   * outside of a turn.
   */
  readonly isAbandoned: boolean;
}

/**
 * The result of inserting a session. `exists` means that a session with the same id was inserted before. `busy` says
 * what is taken. Its `rows` are the open sessions that have it, the one that a sweeper claimed longest ago first.
 * `rows` is empty if the last write of the target is being undone, or if every try met another race.
 */
export type SessionInsertOutcome =
  | { readonly kind: 'inserted'; readonly row: WriteSessionRow }
  | { readonly kind: 'exists'; readonly row: WriteSessionRow }
  | { readonly kind: 'busy'; readonly lock: 'target' | 'slots'; readonly rows: readonly BlockingSession[] };

/**
 * Largest number of tries. A try fails because of a session that is ending, slots that others take between insert and
 * look-up, or an undo of the target.
 */
const MAX_TRIES = 10;
const PAUSE_MS = 50;

/**
 * Inserts a session, which takes the target and a free slot of its owner, or neither. On a conflict the session's own
 * id is looked up first: a repeated begin is the same begin (docs/write-sessions.md).
 */
export const insertWriteSession = async (
  db: Database,
  input: WriteSessionInput,
  lock: SessionLock,
): Promise<SessionInsertOutcome> => {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const inserted = await tryInsert(db, input, lock);
    if (inserted) return { kind: 'inserted', row: inserted };
    const ownRow = await findWriteSession(db, input.sessionId);
    if (ownRow) return { kind: 'exists', row: ownRow };
    const holding = await findBlocking(db, input, lock);
    const onTarget = holding.filter(({ targetKey }) => targetKey === lock.targetKey);
    if (onTarget.length > 0) return { kind: 'busy', lock: 'target', rows: onTarget };
    if (holding.length >= lock.maxConcurrent) return { kind: 'busy', lock: 'slots', rows: holding };
    await delay(PAUSE_MS);
  }
  return { kind: 'busy', lock: 'target', rows: [] };
};

const COLUMNS = [
  'session_id',
  'project_id',
  'turn_id',
  'target_file',
  'target_key',
  'operation',
  'start_input',
  'owner',
  'slot',
] as const;

/**
 * Inserts in one statement. Returns undefined when no slot is free, on any conflict, and while the target is being
 * undone.
 */
const tryInsert = async (
  db: Database,
  input: WriteSessionInput,
  lock: SessionLock,
): Promise<WriteSessionRow | undefined> => {
  const row = await db
    .insertInto('write_sessions')
    .columns([...COLUMNS])
    .expression((from) =>
      from
        .selectFrom(freeSlots(input, lock))
        .select(({ val, cast }) => [
          val(input.sessionId).as('session_id'),
          val(input.projectId).as('project_id'),
          val(input.turnId ?? null).as('turn_id'),
          val(input.targetFile).as('target_file'),
          val(lock.targetKey).as('target_key'),
          val(input.operation).as('operation'),
          cast<string>(val(JSON.stringify(input)), 'json').as('start_input'),
          'free.owner',
          'free.slot',
        ])
        .orderBy('free.slot')
        .limit(1),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && toWriteSessionRow(row);
};

const freeSlots = (input: WriteSessionInput, lock: SessionLock) =>
  sql<{ owner: string; slot: number }>`(
  select holder.owner, slot
  from (select ${slotOwnerOf(input, lock)} as owner) holder, generate_series(1, ${lock.maxConcurrent}::integer) slot
  where (select pg_try_advisory_xact_lock_shared(${targetLock(lock.targetKey)})) and not exists (
    select from write_sessions taken
    where taken.owner = holder.owner and taken.slot = slot.slot and taken.state <> 'ended')
)`.as('free');

/** Finds the sessions on the same target, and those that hold the owner's slots. */
const findBlocking = async (
  db: Database,
  input: WriteSessionInput,
  lock: SessionLock,
): Promise<BlockingSession[]> => {
  const rows = await db
    .selectFrom('write_sessions as session')
    .leftJoin('turns as turn', 'turn.turn_id', 'session.turn_id')
    .selectAll('session')
    .leftJoin('turns as own', (join) => join.on('own.turn_id', '=', input.turnId ?? ''))
    .select(['turn.conversation_id', 'turn.status as turn_status', 'own.conversation_id as own_conversation'])
    .select(OPEN_COMMIT_INPUT)
    .where('session.state', '<>', 'ended')
    .where(({ or, and, eb }) =>
      or([
        eb('session.target_key', '=', lock.targetKey),
        and([
          eb('session.slot', '<=', lock.maxConcurrent),
          eb('session.owner', '=', slotOwnerOf(input, lock)),
        ]),
      ]),
    )
    .orderBy(({ fn }) => fn.coalesce('session.swept_at', 'session.started_at'))
    .execute();
  return rows.map((row) => ({
    ...toWriteSessionRow(row),
    conversationId: row.conversation_id,
    openInputId: row.request,
    isAbandoned: isAbandoned(row, input),
  }));
};

const slotOwnerOf = ({ turnId }: WriteSessionInput, { owner }: SessionLock) => sql<string>`coalesce(
  ${owner ?? null}::text, (select started_by from turns where turn_id = ${turnId ?? null}::text), 'local')`;

/** Id of the open input request about the session's commit. A turn has at most one open request. */
const OPEN_COMMIT_INPUT = sql<string | null>`(
  select asked.turn_id || '/' || asked.n from input_requests asked
  where asked.turn_id = session.turn_id and asked.state = 'open' and asked.session_id = session.session_id)`.as(
  'request',
);

interface OpenSessionRow {
  readonly state: string;
  readonly project_id: string;
  readonly conversation_id: string | null;
  readonly turn_status: TurnStatus | null;
  readonly own_conversation: string | null;
}

const isAbandoned = (row: OpenSessionRow, { projectId }: WriteSessionInput): boolean => {
  if (row.state !== 'open' || row.project_id !== projectId || row.own_conversation === null) return false;
  if (row.turn_status === 'cancelled') return true;
  return row.conversation_id === row.own_conversation && row.turn_status !== 'running';
};
