import { sql } from 'kysely';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { StoredResolution } from '../../contracts/inputs/input-request.ts';
import type { ReplyName } from '../../contracts/wire/input-events.ts';
import type { Database } from '../connection/database.ts';
import {
  inputsWithTurns,
  type InputRow,
  type NewInputRequest,
  type PreparedInputRow,
  toInputRow,
} from './input-row.ts';
import { storeInputRequested, storeInputResolved } from '../outbox/outbox-repository.ts';

/** The fields that are added to the row of a request when somebody is asked. */
export interface InputAnnouncement {
  readonly message: string;
  readonly default: ReplyName;
  readonly expiresAt: Date;
}

/** A page of the input requests of some projects. Undefined as `state` means open and closed ones. */
export interface InputSelection {
  /** Ids of the projects. Undefined means all projects. */
  readonly projects: readonly string[] | undefined;
  readonly state: 'open' | 'closed' | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The rows of input requests, which follow what the turn's workflow decides. */
export interface InputRepository {
  /**
   * Stores a request about which nobody is asked yet. If another attempt has stored it before, that row stays, and is
   * returned.
   */
  prepare(input: NewInputRequest): Promise<PreparedInputRow>;
  /**
   * Announces a request, unless it was announced before or its turn has ended without resolving it. A request that was
   * resolved before stays closed. Returns `too_many`, and announces nothing, if 1,000 other turns of its key wait
   * already.
   */
  open(turnId: string, n: number, announcement: InputAnnouncement): Promise<'open' | 'too_many'>;
  /** Closes requests as the workflow has resolved them. The first resolution of each stays. */
  close(turnId: string, resolutions: readonly StoredResolution[]): Promise<void>;
  /** Finds a request that was announced or resolved. Returns undefined for any other. */
  find(turnId: string, n: number): Promise<InputRow | undefined>;
  /** Lists the requests that were announced, in the order in which they were, without their diffs. */
  list(selection: InputSelection): Promise<{ readonly rows: readonly InputRow[]; readonly hasMore: boolean }>;
}

/** Largest number of turns of one key that may wait for a person at a time (docs/inputs.md "Bounds"). */
const MAX_WAITING_TURNS = 1_000;

/** Creates the repository of input requests in Postgres. */
export const createInputRepository = (db: Database): InputRepository => ({
  prepare: (input) => prepare(db, input),
  open: (...args) => db.transaction().execute((trx) => open(trx, ...args)),
  close: (...args) => db.transaction().execute((trx) => closeInputs(trx, ...args)),
  find: async (turnId, n) => {
    const row = await inputsWithTurns(db)
      .select('diff')
      .where('input_requests.turn_id', '=', turnId)
      .where('n', '=', n)
      .where(({ or, eb }) => or([eb('opened_at', 'is not', null), eb('resolution', 'is not', null)]))
      .executeTakeFirst();
    return row && toInputRow(row);
  },
  list: async ({ projects, state, limit, offset }) => {
    let query = inputsWithTurns(db).where('opened_at', 'is not', null);
    if (projects !== undefined) {
      query = query.where('turns.project_id', '=', sql<string>`any(${[...projects]})`);
    }
    if (state !== undefined) query = query.where('state', '=', state);
    const rows = await query
      .orderBy('opened_at')
      .orderBy('input_requests.turn_id')
      .limit(limit + 1)
      .offset(offset)
      .execute();
    return {
      rows: rows.slice(0, limit).map((row) => toInputRow({ ...row, diff: null })),
      hasMore: rows.length > limit,
    };
  },
});

const prepare = async (
  db: Database,
  { turnId, n, kind, request, argsHash, diff }: NewInputRequest,
): Promise<PreparedInputRow> => {
  await db
    .insertInto('input_requests')
    .values({
      turn_id: turnId,
      n,
      kind,
      request: JSON.stringify(request),
      args_hash: argsHash,
      diff: diff === null ? null : safeText(diff),
      session_id: request.commit?.sessionId ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db
    .selectFrom('input_requests')
    .select(['request', 'args_hash as argsHash', 'diff'])
    .where('turn_id', '=', turnId)
    .where('n', '=', n)
    .executeTakeFirstOrThrow();
};

const open = async (
  db: Database,
  turnId: string,
  n: number,
  { message, default: reply, expiresAt }: InputAnnouncement,
): Promise<'open' | 'too_many'> => {
  const { rows } = await sql<{ waiting: string }>`
    select count(*) as waiting from input_requests request join turns using (turn_id)
    where request.state = 'open' and request.turn_id <> ${turnId}
      and coalesce(turns.started_by, '') = (
        select coalesce(started_by, '') from turns where turn_id = ${turnId})`.execute(db);
  if (Number(rows[0]?.waiting ?? 0) >= MAX_WAITING_TURNS) return 'too_many';
  await db
    .updateTable('input_requests')
    .set(({ fn }) => ({
      // A reply counts once the request's event is written, which happens before this statement. A request that such a
      // reply has closed stays closed.
      state: sql<'open' | 'closed'>`case state when 'prepared' then 'open' else state end`,
      message: safeText(message),
      default_reply: reply,
      expires_at: expiresAt,
      opened_at: fn<Date>('now'),
    }))
    .where('turn_id', '=', turnId)
    .where('n', '=', n)
    .where('opened_at', 'is', null)
    // A turn that was closed from outside no longer waits.
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('resolution', 'is not', null),
        exists(
          selectFrom('turns').select('turn_id').where('turn_id', '=', turnId).where('status', '=', 'running'),
        ),
      ]),
    )
    .execute();
  await storeInputRequested(db, turnId, n);
  return 'open';
};

/** Stores how requests of a turn were resolved, as `InputRepository.close` does. May be part of a transaction. */
export const closeInputs = async (
  db: Database,
  turnId: string,
  resolutions: readonly StoredResolution[],
): Promise<void> => {
  for (const resolution of resolutions) {
    const n = Number(resolution.inputId.slice(turnId.length + 1));
    const { numUpdatedRows } = await db
      .updateTable('input_requests')
      .set(({ fn }) => ({
        state: 'closed',
        resolution: JSON.stringify(resolution),
        closed_at: fn<Date>('clock_timestamp'),
      }))
      .where('turn_id', '=', turnId)
      .where('n', '=', n)
      .where('resolution', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await storeInputResolved(db, turnId, n, resolution);
  }
};

/**
 * Closes the requests of a turn that are still not closed, without a resolution, as part of the transaction that ends
 * the turn.
 */
export const closeAllInputs = async (db: Database, turnId: string): Promise<void> => {
  await db
    .updateTable('input_requests')
    .set(({ fn }) => ({ state: 'closed', closed_at: fn<Date>('clock_timestamp') }))
    .where('turn_id', '=', turnId)
    .where('state', '<>', 'closed')
    .execute();
};
