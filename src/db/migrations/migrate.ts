import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { StartError } from '../../base/errors/start-error.ts';
import type { Database } from '../connection/database.ts';
import { sqlStateOf } from '../connection/sql-state.ts';
import * as turns from './0001-turns.ts';
import * as writeSessions from './0002-write-sessions.ts';
import * as traceEvents from './0003-trace-events.ts';
import * as turnStartedBy from './0004-turn-started-by.ts';
import * as traceOrder from './0005-trace-order.ts';
import * as sessionOwner from './0006-session-owner.ts';
import * as turnCancelledBy from './0009-turn-cancelled-by.ts';
import * as storedBytes from './0010-stored-bytes.ts';
import * as conversations from './0012-conversations.ts';
import * as firstMessages from './0013-first-messages.ts';
import * as lastTurns from './0014-last-turns.ts';
import * as inputRequests from './0015-input-requests.ts';
import * as inputList from './0016-input-list.ts';
import * as steers from './0017-steers.ts';
import * as replyContents from './0018-reply-contents.ts';
import * as fileChanges from './0019-file-changes.ts';
import * as heldSessions from './0020-held-sessions.ts';
import * as outbox from './0021-outbox.ts';
import * as clientTools from './0022-client-tools.ts';
import * as outboxDue from './0023-outbox-due.ts';
import * as transcripts from './0030-transcripts.ts';
import * as branches from './0031-branches.ts';
import * as outboxSweptAt from './0032-outbox-swept-at.ts';
import * as spend from './0033-spend.ts';
import * as budgets from './0034-budgets.ts';
import * as turnsByDay from './0037-turns-by-day.ts';
import * as summaries from './0038-summaries.ts';
import * as summaryCosts from './0039-summary-costs.ts';
import * as inputNews from './0040-input-news.ts';
import * as leftOut from './0041-left-out.ts';
import * as wastedCosts from './0042-wasted-costs.ts';
import type { DatabaseSchema } from '../tables/schema.ts';

type Migrations = Readonly<Record<string, Migration>>;

/**
 * All migrations in the alphabetical order of their names, in which Kysely runs them. Never change one that has run
 * anywhere, but add another. CONTRIBUTING.md "A migration" says why numbers are missing.
 */
const MIGRATIONS: Migrations = {
  '0001-turns': turns,
  '0002-write-sessions': writeSessions,
  '0003-trace-events': traceEvents,
  '0004-turn-started-by': turnStartedBy,
  '0005-trace-order': traceOrder,
  '0006-session-owner': sessionOwner,
  '0009-turn-cancelled-by': turnCancelledBy,
  '0010-stored-bytes': storedBytes,
  '0012-conversations': conversations,
  '0013-first-messages': firstMessages,
  '0014-last-turns': lastTurns,
  '0015-input-requests': inputRequests,
  '0016-input-list': inputList,
  '0017-steers': steers,
  '0018-reply-contents': replyContents,
  '0019-file-changes': fileChanges,
  '0020-held-sessions': heldSessions,
  '0021-outbox': outbox,
  '0022-client-tools': clientTools,
  '0023-outbox-due': outboxDue,
  '0030-transcripts': transcripts,
  '0031-branches': branches,
  '0032-outbox-swept-at': outboxSweptAt,
  '0033-spend': spend,
  '0034-budgets': budgets,
  '0037-turns-by-day': turnsByDay,
  '0038-summaries': summaries,
  '0039-summary-costs': summaryCosts,
  '0040-input-news': inputNews,
  '0041-left-out': leftOut,
  '0042-wasted-costs': wastedCosts,
};

const LOCK = sql.lit(0x4f72_696f); // "Orio"
/** Time in milliseconds to wait for the lock of migrations, and then again for tables that are in use. */
const LOCK_WAIT_MS = 60_000;
const LOCK_POLL_MS = 50;
/**
 * Time to wait for the lock on each table. It is below Postgres' `deadlock_timeout` (1 s): if a migration and other
 * statements wait for each other, the migration gives up before Postgres refuses one of the statements as a deadlock.
 */
const TABLE_WAIT = '100ms';

/**
 * Brings the schema up to date: every migration once, all pending ones in one transaction, one process at a time.
 * Throws when a migration fails, or when another process keeps the lock or a table for a minute. Throws `StartError`
 * when a newer version has migrated the database. A migration that may take longer than the pool's query limit needs a
 * database that was opened with a longer limit.
 */
export const migrateDatabase = async (db: Database, migrations: Migrations = MIGRATIONS): Promise<void> => {
  await db.connection().execute(async (connection) => {
    await takeMigrationLock(connection);
    try {
      await runMigrations(connection, migrations);
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(connection);
    }
  });
};

/** Takes the lock of migrations by polling: a blocking wait would run into the query limit of the pool. */
const takeMigrationLock = async (db: Kysely<DatabaseSchema>): Promise<void> => {
  for (let waited = 0; waited < LOCK_WAIT_MS; waited += LOCK_POLL_MS) {
    const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${LOCK}) as locked`.execute(
      db,
    );
    if (rows[0]?.locked) return;
    await delay(LOCK_POLL_MS);
  }
  throw new Error(`Migrations: another process has held their lock for ${LOCK_WAIT_MS / 1_000} s.`);
};

/**
 * Runs the pending migrations, and tries again after a pause while a table is in use. Each try waits for a lock no
 * longer than `TABLE_WAIT`, because other statements queue up behind a statement that waits.
 */
const runMigrations = async (db: Kysely<DatabaseSchema>, migrations: Migrations): Promise<void> => {
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const failure = await tryMigrations(db, migrations);
    if (failure === undefined) return;
    if (!isLockNotAvailable(failure.cause) || performance.now() > deadline) throw failure;
    await delay(LOCK_POLL_MS);
  }
};

const tryMigrations = async (
  db: Kysely<DatabaseSchema>,
  migrations: Migrations,
): Promise<Error | undefined> => {
  const provider = { getMigrations: () => Promise.resolve(withTableLocks(migrations)) };
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest();
  if (error === undefined) return undefined;
  const unknown = await findUnknownMigration(db, migrations);
  if (unknown !== undefined) return new StartError(newerDatabaseText(unknown), { cause: error });
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const reason = error instanceof Error ? error.message : JSON.stringify(error);
  return new Error(`Migration ${failed ?? 'of the database'} failed: ${reason}`, { cause: error });
};

/** Returns the newest migration that has run here and that this version does not have. Undefined if there is none. */
const findUnknownMigration = async (
  db: Kysely<DatabaseSchema>,
  migrations: Migrations,
): Promise<string | undefined> => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name desc`.execute(
    db,
  );
  return rows.find(({ name }) => !Object.hasOwn(migrations, name))?.name;
};

const newerDatabaseText = (migration: string): string =>
  `DATABASE_URL: a newer version of Orion has migrated this database (${migration}). ` +
  'Start that version, or restore a backup from before the update (docs/operations.md "Going back").';

/**
 * Makes the first migration that runs lock all tables. If migrations locked one table after another, they and the
 * statements of a turn could wait for each other.
 */
const withTableLocks = (migrations: Migrations): Record<string, Migration> => {
  let locked: Promise<void> | undefined;
  const withLocks = ({ up }: Migration): Migration => ({
    up: async (db) => {
      await (locked ??= lockTables(db));
      await up(db);
    },
  });
  return Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [name, withLocks(migration)]),
  );
};

/**
 * Locks all tables that the current user owns in the current schema. Throws when a table is in use for longer than
 * `TABLE_WAIT`; the caller's transaction then releases the others.
 */
const lockTables = async (db: Kysely<unknown>): Promise<void> => {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables
    where schemaname = current_schema() and tableowner = current_user order by tablename`.execute(db);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  await sql`set local lock_timeout = ${sql.lit(TABLE_WAIT)}`.execute(db);
  await sql`lock table ${sql.raw(names)} in access exclusive mode`.execute(db);
  await sql`set local lock_timeout to default`.execute(db);
};

/** Reports whether an error has the SQLSTATE of a lock that was not granted in time. */
const isLockNotAvailable = (error: unknown): boolean => sqlStateOf(error) === '55P03';
