import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Child, ChildSpec } from './child.ts';
import { StartError } from '../config/start-error.ts';
import { commandLineOf } from './process-identity.ts';
import { postgresBinaries, reachableBy, unprivilegedUser, type RunAs } from './postgres-files.ts';

const USER = 'orion';
const DATABASE = 'postgres';
/** Major version of the packaged binaries; a data directory of another one cannot be opened. */
const MAJOR_VERSION = '18';

export interface PostgresServerOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Further `name=value` settings. */
  readonly settings?: readonly string[];
  readonly log: (line: string) => void;
}

/** A prepared data directory and what is needed to run it. */
export interface PostgresServer {
  readonly spec: ChildSpec;
  /** Connection string with the password. */
  readonly url: string;
  readonly folder: string;
}

const run = promisify(execFile);

/** Kept beside the database, readable by its owner alone: loopback is open to every account of a machine. */
const passwordFileOf = (folder: string, user: RunAs | undefined): string => {
  const path = `${folder}.password`;
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (user !== undefined) chownSync(path, user.uid, user.gid);
  return path;
};

/** `initdb` leaves half a directory when it is killed, so it works beside the place and is renamed into it. */
const initialise = async (binaries: string, folder: string, user: RunAs | undefined): Promise<void> => {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  if (user !== undefined) chownSync(unfinished, user.uid, user.gid);
  const password = `--pwfile=${passwordFileOf(folder, user)}`;
  const args = ['-D', unfinished, '-U', USER, '--auth=scram-sha-256', password, '--encoding=UTF8'];
  // Without the built-in provider the machine's locale decides, and can make the database SQL_ASCII.
  const locale = ['--locale=C.UTF-8', '--locale-provider=builtin', '--no-sync', '--no-instructions'];
  await run(join(binaries, 'bin', 'initdb'), [...args, ...locale], { cwd: '/', ...user });
  renameSync(unfinished, folder);
};

/** The postmaster refuses a lock file whose pid is alive, even if that pid is another program's by now. */
const removeStaleLock = (folder: string): void => {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  if (!commandLineOf(pid).includes(folder)) rmSync(path);
};

const requireVersion = (folder: string): void => {
  const version = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  if (version === MAJOR_VERSION) return;
  throw new StartError(
    `${folder} holds a database of Postgres ${version}, expected ${MAJOR_VERSION}: move it away, or set ORION_DATA_DIR.`,
  );
};

/** Creates the data directory at the first start. Throws when that fails, or when it belongs to another version. */
export const preparePostgres = async (options: PostgresServerOptions): Promise<PostgresServer> => {
  const user = unprivilegedUser();
  const binaries = postgresBinaries(user);
  const wanted = join(options.dataDir, 'postgres');
  const folder = reachableBy(user, wanted);
  if (folder !== wanted)
    options.log(`${wanted} is closed to the account that Postgres runs under; using ${folder}`);
  if (!existsSync(folder)) await initialise(binaries, folder, user);
  requireVersion(folder);
  removeStaleLock(folder);
  const password = readFileSync(passwordFileOf(folder, user), 'utf8');
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${options.port}`];
  const spec: ChildSpec = {
    role: 'postgres',
    command: join(binaries, 'bin', 'postgres'),
    args: ['-D', folder, ...[...settings, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting])],
    env: options.env,
    cwd: '/',
    logFile: join(options.dataDir, 'logs', 'postgres.log'),
    // Fast shutdown: SIGTERM would wait until the last client has gone.
    stopSignal: 'SIGINT',
    port: options.port,
    ipc: false,
    ...(user === undefined ? {} : { user }),
  };
  return { spec, folder, url: `postgres://${USER}:${password}@127.0.0.1:${options.port}/${DATABASE}` };
};

const POLL_MS = 20;

/** Line 8 of postmaster.pid is the server's own word, as `pg_ctl` reads it; line 1 tells it from an older file. */
const isReady = async (folder: string, pid: number): Promise<boolean> => {
  const lines = await readFile(join(folder, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
};

/** Resolves when the server accepts connections; a crash recovery may take its time. */
export const postgresReady = async (child: Child, folder: string, timeoutMs: number): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await isReady(folder, child.pid))) {
    if (performance.now() > deadline) throw new Error(`not ready after ${timeoutMs} ms`);
    const ended = await Promise.race([child.exited, delay(POLL_MS)]);
    if (ended !== undefined) throw new Error(`ended before it was ready: ${ended.how}`);
  }
};
