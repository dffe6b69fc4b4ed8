/*
 * A worker process counts as alive as long as its session with Postgres holds a lock. Whatever ends the process, short
 * of a failure of its host, also ends the session, which other processes can see within milliseconds. A row that has to
 * be renewed would show it seconds later, and would make a busy process look dead.
 */
import { createHash } from 'node:crypto';
import { Client } from 'pg';

const CONNECT_TIMEOUT_MS = 1_500;
/**
 * Time in milliseconds after which a statement fails. The statements here take far less, so the server no longer
 * responds by then.
 */
const QUERY_TIMEOUT_MS = 1_500;

const SNAPSHOT_QUERY = `
  select array(
      select objid::bigint from pg_locks
      where locktype = 'advisory' and classid = ($1::bigint & 4294967295)::oid and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
    )::text[] as living,
    (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 as "serverUpMs"`;

/** The state of all workers at one moment. */
export interface WorkerSnapshot {
  /**
   * True when this process is the only one that looks for lost workers. A worker that leads does so until its session
   * ends.
   */
  readonly isLeader: boolean;
  /** Keys of the workers that live; see `presenceKeyOf`. */
  readonly livingKeys: ReadonlySet<string>;
  /** Time in milliseconds since the server was started. Right after its start no worker has come back yet. */
  readonly serverUpMs: number;
}

/**
 * The database session of one process, a worker or one that watches workers. It is seen by the sessions of the same
 * scope, which is a namespace and task queue of Temporal.
 */
export interface WorkerPresence {
  /**
   * Returns which workers live, and takes or gives up the lead. A worker takes the lead if nobody has it. A process
   * that is no worker leads only while no worker lives, since looking for lost work takes time from an event loop that
   * otherwise streams to clients. Rejects when the session is lost. The process then has to open another session.
   */
  snapshot(): Promise<WorkerSnapshot>;
  /** Ends the session. */
  close(): Promise<void>;
}

/**
 * Returns the key of a worker's identity in `WorkerSnapshot.livingKeys`: the number of the advisory lock that it holds.
 */
export const presenceKeyOf = (identity: string): string => String(lockNumber(identity) >>> 0);

interface LivingRow {
  readonly living: string[];
  readonly serverUpMs: number;
}

/**
 * Opens a session with Postgres that shows that a worker lives. Without an `identity`, it is the session of a process
 * that watches workers but is none. Behind a pooler in transaction mode, a dead worker is not noticed as long as the
 * pooler keeps the session. Rejects when the database cannot be used.
 */
export const openWorkerPresence = async (
  url: string,
  scope: string,
  identity?: string,
): Promise<WorkerPresence> => {
  const client = createSession(url);
  const presenceLock = lockNumber(`orion-lives ${scope}`);
  const leaderLock = lockNumber(`orion-leads ${scope}`);
  let isLeader = false;
  const setLeadership = async (shouldLead: boolean): Promise<void> => {
    if (shouldLead === isLeader) return;
    const change = shouldLead ? 'pg_try_advisory_lock' : 'pg_advisory_unlock';
    const { rows } = await client.query<{ done: boolean }>(`select ${change}($1, $1) as done`, [leaderLock]);
    if (rows[0]?.done === true) isLeader = shouldLead;
  };
  const snapshot = async (): Promise<WorkerSnapshot> => {
    const { rows } = await client.query<LivingRow>(SNAPSHOT_QUERY, [presenceLock]);
    const livingKeys = new Set(rows[0]?.living);
    await setLeadership(identity !== undefined || livingKeys.size === 0);
    return { isLeader, livingKeys, serverUpMs: rows[0]?.serverUpMs ?? 0 };
  };
  try {
    await client.connect();
    // The lock is shared, because the server may still have an earlier session of this worker.
    if (identity !== undefined) {
      await client.query('select pg_advisory_lock_shared($1, $2)', [presenceLock, lockNumber(identity)]);
    }
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return { snapshot, close: () => client.end().catch(() => undefined) };
};

const createSession = (url: string): Client => {
  const client = new Client({
    connectionString: url,
    application_name: 'orion-worker-presence',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  // A broken connection needs no handling here: the next snapshot rejects.
  client.on('error', () => undefined);
  return client;
};

/**
 * Returns a number for an advisory lock. The key of such a lock consists of two signed integers of 32 bits, which
 * `pg_locks` shows as unsigned ones.
 */
const lockNumber = (text: string): number => createHash('sha256').update(text).digest().readInt32BE(0);
