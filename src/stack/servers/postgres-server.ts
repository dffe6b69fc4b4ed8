import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildHandle, ChildSpec } from '../processes/child.ts';
import { POSTGRES_DATABASE, ensureAccess, POSTGRES_ROLE } from './postgres-access.ts';
import { ensurePostgresAccount } from './postgres-account.ts';
import { ensurePostgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, runSingleUser } from './postgres-cluster.ts';
import { preparePostgresLayout, type PostgresLayout } from './postgres-layout.ts';

export interface PostgresServerOptions {
  /** The data directory, which only this account can open (`ensurePrivateFolder`). */
  readonly dataDir: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Further settings of the server, each as `name=value`. */
  readonly settings?: readonly string[];
  readonly log: (line: string) => void;
}

/** A prepared database, and what is needed to run its server. */
export interface PostgresServer {
  readonly spec: ChildSpec;
  /** The connection string, which contains the password. */
  readonly url: string;
  readonly layout: PostgresLayout;
  /** Runs SQL on a database as the superuser. The server must not run meanwhile. */
  runSingleUser(database: string, statements: readonly string[]): Promise<void>;
}

/**
 * Prepares the database for a start of its server, and makes it at the first start. Rejects when that fails, for
 * example with StartError when the database is of another version.
 */
export const preparePostgres = async (options: PostgresServerOptions): Promise<PostgresServer> => {
  const { dataDir, port, env, log } = options;
  const account = ensurePostgresAccount(log);
  const programs = { binaries: ensurePostgresBinaries(account), account, env };
  const layout = preparePostgresLayout(dataDir, account, log);
  const { cluster } = layout;
  await ensureCluster(programs, cluster);
  const runInSingleUserMode = (database: string, statements: readonly string[]) =>
    runSingleUser(programs, cluster, database, statements);
  const password = await ensureAccess(dataDir, layout, runInSingleUserMode);
  const ownSettings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`];
  const settings = [...ownSettings, `hba_file=${layout.hbaFile}`, ...(options.settings ?? [])];
  const spec: ChildSpec = {
    role: 'postgres',
    command: join(programs.binaries, 'bin', 'postgres'),
    args: ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
    env,
    cwd: '/',
    logFile: join(dataDir, 'logs', 'postgres.log'),
    // SIGINT is the fast shutdown. After SIGTERM the server would wait until the last client has gone.
    stopSignal: 'SIGINT',
    port,
    hasIpc: false,
    ...(account !== undefined && { user: account }),
  };
  const url = `postgres://${POSTGRES_ROLE}:${password}@127.0.0.1:${port}/${POSTGRES_DATABASE}`;
  return { spec, layout, url, runSingleUser: runInSingleUserMode };
};

const POLL_MS = 20;

/**
 * Resolves when the server of a cluster accepts connections. Rejects after `timeoutMs`, or when the server ends before.
 * A recovery after a crash may take some time.
 */
export const waitForPostgres = async (
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

/**
 * Reports whether the server with this pid is ready. Line 8 of postmaster.pid is the server's own status, which
 * `pg_ctl` reads, too. Line 1 is the pid, which tells whether the file is that of an earlier server.
 */
const isReady = async (cluster: string, pid: number): Promise<boolean> => {
  const lines = await readFile(join(cluster, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
};
