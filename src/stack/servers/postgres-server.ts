import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildHandle, ChildSpec } from '../recovery/child.ts';
import { DATABASE, ensureAccess, ROLE } from './postgres-access.ts';
import { postgresAccount } from './postgres-account.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, runSingleUser } from './postgres-cluster.ts';
import { preparePostgresLayout, type PostgresLayout } from './postgres-layout.ts';

export interface PostgresServerOptions {
  /** Data directory, open only to this account (`requirePrivateDirectory`). */
  readonly dataDir: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Further `name=value` settings. */
  readonly settings?: readonly string[];
  readonly log: (line: string) => void;
}

/** A prepared database and what is needed to run it. */
export interface PostgresServer {
  readonly spec: ChildSpec;
  /** Connection string with the password. */
  readonly url: string;
  readonly layout: PostgresLayout;
  /** Runs SQL on a database as the superuser; only while the server does not run. */
  runSingleUser(database: string, statements: readonly string[]): Promise<void>;
}

/** Makes the database at the first start. Throws StartError when that fails, or when it belongs to another version. */
export const preparePostgres = async (options: PostgresServerOptions): Promise<PostgresServer> => {
  const { dataDir, port, env, log } = options;
  const account = postgresAccount(log);
  const programs = { binaries: postgresBinaries(account), account, env };
  const layout = preparePostgresLayout(dataDir, account, log);
  const { cluster } = layout;
  await ensureCluster(programs, cluster);
  const alone = (database: string, statements: readonly string[]) =>
    runSingleUser(programs, cluster, database, statements);
  const password = await ensureAccess(dataDir, layout, alone);
  const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`];
  const settings = [...own, `hba_file=${layout.access}`, ...(options.settings ?? [])];
  const spec: ChildSpec = {
    role: 'postgres',
    command: join(programs.binaries, 'bin', 'postgres'),
    args: ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
    env,
    cwd: '/',
    logFile: join(dataDir, 'logs', 'postgres.log'),
    // Fast shutdown: SIGTERM would wait until the last client has gone.
    stopSignal: 'SIGINT',
    port,
    hasIpc: false,
    ...(account === undefined ? {} : { user: account }),
  };
  const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;
  return { spec, layout, url, runSingleUser: alone };
};

const POLL_MS = 20;

/**
 * Line 8 of postmaster.pid is the server's own status, as `pg_ctl` reads it; line 1 tells the file from an older one.
 */
const isReady = async (cluster: string, pid: number): Promise<boolean> => {
  const lines = await readFile(join(cluster, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
};

/** Resolves when the server of a cluster accepts connections; a crash recovery may take its time. */
export const postgresReady = async (
  child: ChildHandle,
  cluster: string,
  timeoutMs: number,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await isReady(cluster, child.pid))) {
    if (performance.now() > deadline) throw new Error(`not ready after ${timeoutMs} ms`);
    const ended = await Promise.race([child.exited, delay(POLL_MS)]);
    if (ended !== undefined) throw new Error(`ended before it was ready: ${ended.how}`);
  }
};
