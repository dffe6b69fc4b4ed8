import { execFile } from 'node:child_process';
import { existsSync, lchownSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../base/errors/start-error.ts';
import { POSTGRES_SUPERUSER } from './postgres-access.ts';
import type { PostgresAccount } from './postgres-account.ts';
import { readCommandLine } from '../processes/process-identity.ts';

/** Major version of the packaged programs, which cannot open a cluster of another version. */
const MAJOR_VERSION = '18';

const run = promisify(execFile);

/** Postgres's programs, and the account that runs them. */
export interface PostgresPrograms {
  readonly binaries: string;
  readonly account: PostgresAccount | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Makes the cluster at the first start, and removes a stale lock file. Rejects when that fails, and with StartError
 * when the cluster is of another version.
 */
export const ensureCluster = async (programs: PostgresPrograms, cluster: string): Promise<void> => {
  if (!existsSync(cluster)) await initialise(programs, cluster);
  requireVersion(cluster);
  removeStaleLock(cluster);
};

/**
 * Matches a line by which the single-user server reports a failed statement. The server then continues, and still exits
 * with 0.
 */
const FAILURE = /^.*(?:ERROR|FATAL|PANIC): {2}.*$/m;

/**
 * Runs statements on a database of a cluster as its superuser, in the single-user mode of Postgres. Nobody can connect
 * meanwhile, and no password is needed. Rejects with StartError, which shows the first failure, if a statement fails.
 */
export const runSingleUser = async (
  { binaries, account, env }: PostgresPrograms,
  cluster: string,
  database: string,
  statements: readonly string[],
): Promise<void> => {
  const args = ['--single', '-D', cluster, database];
  const running = run(join(binaries, 'bin', 'postgres'), args, { cwd: '/', env, ...account });
  // A failed write needs no handling, because `running` rejects when the program ends early. Each line is one
  // statement.
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end(statements.map((sql) => `${sql.replaceAll(/\s*\n\s*/g, ' ')};\n`).join(''));
  const { stdout, stderr } = await running;
  // Only this line is shown, because others repeat the statement, which may contain a password.
  const failure = FAILURE.exec(`${stdout}\n${stderr}`);
  if (failure !== null) {
    throw new StartError(`The database in ${cluster} could not be prepared: ${failure[0]}`);
  }
};

/**
 * Makes the cluster. A killed `initdb` leaves half a directory, so it works beside the final place and the result is
 * renamed.
 */
const initialise = async ({ binaries, account, env }: PostgresPrograms, cluster: string): Promise<void> => {
  const unfinished = `${cluster}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  if (account !== undefined) lchownSync(unfinished, account.uid, account.gid);
  // The server does not use the pg_hba.conf that `initdb` writes (`PostgresLayout`), so that file rejects everybody.
  const args = ['-D', unfinished, '-U', POSTGRES_SUPERUSER, '--auth=reject', '--encoding=UTF8'];
  // Without the built-in provider, the machine's locale would decide, and might make the database SQL_ASCII.
  const locale = ['--locale=C.UTF-8', '--locale-provider=builtin', '--no-sync', '--no-instructions'];
  await run(join(binaries, 'bin', 'initdb'), [...args, ...locale], { cwd: '/', env, ...account });
  renameSync(unfinished, cluster);
};

const requireVersion = (cluster: string): void => {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === MAJOR_VERSION) return;
  throw new StartError(
    `${cluster} holds a database of Postgres ${version}, expected ${MAJOR_VERSION}: move it away, or set ORION_DATA_DIR.`,
  );
};

/**
 * Removes a lock file whose pid is not that of a server of this cluster. The postmaster would refuse to start if
 * another program has that pid by now.
 */
const removeStaleLock = (cluster: string): void => {
  const path = join(cluster, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  if (!readCommandLine(pid).includes(cluster)) rmSync(path);
};
