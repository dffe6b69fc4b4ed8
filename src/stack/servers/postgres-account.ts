import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The account that Postgres runs under when Orion is started as root, because Postgres refuses to run as root. */
export interface PostgresAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * An account that nothing else uses, so that no other service of the machine can read the database or the server's
 * memory.
 */
const OWN_ACCOUNT = 'orion-postgres';
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Returns the account for Postgres if this process is root, and makes it if necessary. Returns undefined if Postgres
 * runs under the account of this process.
 */
export const ensurePostgresAccount = (log: (line: string) => void): PostgresAccount | undefined => {
  if (process.geteuid?.() !== 0) return undefined;
  const own = findAccount(OWN_ACCOUNT) ?? createAccount(log);
  if (own !== undefined) return own;
  log(
    `the system account ${OWN_ACCOUNT} could not be made: Postgres runs as nobody, whose other processes can read the database`,
  );
  return findAccount('nobody') ?? NOBODY;
};

/** Returns the ids of the accounts under which earlier versions ran Postgres if root had started them. */
export const listFormerAccounts = (): readonly number[] => [0, (findAccount('nobody') ?? NOBODY).uid];

const findAccount = (name: string): PostgresAccount | undefined => {
  const [, uid, gid] =
    new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
};

/** Makes the account. Returns undefined if that failed. If another start has just made it, returns that account. */
const createAccount = (log: (line: string) => void): PostgresAccount | undefined => {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  const args = [...options, '--shell', '/usr/sbin/nologin', OWN_ACCOUNT];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const { status } = spawnSync('useradd', args, { env, stdio: 'ignore' });
  if (status === 0) log(`made the system account ${OWN_ACCOUNT}: Postgres does not run as root`);
  return findAccount(OWN_ACCOUNT);
};
