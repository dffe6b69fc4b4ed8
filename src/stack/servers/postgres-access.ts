import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HANDOVER_ROLE } from '../../db/connection/service-roles.ts';
import type { PostgresLayout } from './postgres-layout.ts';

/** The role that owns Orion's database. It may do nothing else on the server. */
export const POSTGRES_ROLE = 'orion';
/** The only database of Orion, which belongs to `POSTGRES_ROLE`. */
export const POSTGRES_DATABASE = 'orion';
/** The role that `initdb` makes. It has no password and cannot log in, and no line of `HBA_TEXT` names it. */
export const POSTGRES_SUPERUSER = 'orion_superuser';

/** The text of pg_hba.conf. Everybody who is not named is refused. */
const HBA_TEXT = `host ${POSTGRES_DATABASE} ${POSTGRES_ROLE} 127.0.0.1/32 scram-sha-256\n`;

/** Runs SQL as the superuser on one database of the cluster. No server may run meanwhile. */
export type RunSingleUser = (database: string, statements: readonly string[]) => Promise<void>;

/** Object id of the role that `initdb` makes. The role keeps it when it is renamed. */
const BOOTSTRAP_OID = 10;

/**
 * Statements that give the objects of the database to `POSTGRES_ROLE`. REASSIGN OWNED would refuse, because the first
 * superuser also owns the system's own objects.
 */
const OBJECT_STATEMENTS = [
  `DO $do$ DECLARE found record; BEGIN
    FOR found IN
      SELECT format('ALTER TABLE %s OWNER TO ${POSTGRES_ROLE}', c.oid::regclass) AS command FROM pg_class c
        WHERE c.relowner = ${BOOTSTRAP_OID} AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
      UNION ALL
      SELECT format('ALTER SEQUENCE %s OWNER TO ${POSTGRES_ROLE}', c.oid::regclass) FROM pg_class c
        WHERE c.relowner = ${BOOTSTRAP_OID} AND c.relnamespace = 'public'::regnamespace AND c.relkind = 'S'
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))
      UNION ALL
      SELECT format('ALTER ROUTINE %s OWNER TO ${POSTGRES_ROLE}', p.oid::regprocedure) FROM pg_proc p
        WHERE p.proowner = ${BOOTSTRAP_OID} AND p.pronamespace = 'public'::regnamespace
      UNION ALL
      SELECT format('ALTER TYPE %s OWNER TO ${POSTGRES_ROLE}', t.oid::regtype) FROM pg_type t
        WHERE t.typowner = ${BOOTSTRAP_OID} AND t.typnamespace = 'public'::regnamespace AND t.typtype IN ('e', 'd')
    LOOP EXECUTE found.command; END LOOP;
  END $do$`,
  `DROP ROLE IF EXISTS ${HANDOVER_ROLE}`,
];

/**
 * Makes sure that the server can be used with one password, as one role, for one database. Returns the password, which
 * is kept in the data directory. All this is done before the first start of the server, and again if it was cut short.
 * Only then is `runSingleUser` called.
 */
export const ensureAccess = async (
  dataDir: string,
  layout: PostgresLayout,
  runSingleUser: RunSingleUser,
): Promise<string> => {
  const file = passwordFileOf(dataDir);
  if (existsSync(layout.hbaFile) && existsSync(file)) return readFileSync(file, 'utf8');
  // While this file is missing, the steps below count as not done.
  rmSync(layout.hbaFile, { force: true });
  const password = randomBytes(24).toString('base64url');
  writePrivately(file, password, 0o600);
  await runSingleUser('template1', serverStatements(password));
  await runSingleUser(POSTGRES_DATABASE, OBJECT_STATEMENTS);
  // The account of Postgres has to read this file, which contains no secret.
  writePrivately(layout.hbaFile, HBA_TEXT, layout.outside === undefined ? 0o600 : 0o644);
  return password;
};

const passwordFileOf = (dataDir: string): string => join(dataDir, 'postgres.password');

/** Writes a file as a whole or not at all. It never writes into an existing file, which others may have opened. */
const writePrivately = (path: string, text: string, mode: number): void => {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 });
  chmodSync(unfinished, mode);
  renameSync(unfinished, path);
};

/**
 * Returns the statements that give a cluster its roles. In a cluster of an earlier version `orion` is the superuser
 * itself, whose privileges cannot be taken away. Another role therefore renames it, since no role renames itself, and a
 * new role without privileges gets the name. Each statement may be run again, since a start can be cut short anywhere.
 */
const serverStatements = (password: string): readonly string[] => [
  statementIf(
    `NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${HANDOVER_ROLE}')`,
    `CREATE ROLE ${HANDOVER_ROLE} SUPERUSER`,
  ),
  `SET SESSION AUTHORIZATION ${HANDOVER_ROLE}`,
  statementIf(
    `EXISTS (SELECT FROM pg_roles WHERE oid = ${BOOTSTRAP_OID} AND rolname = '${POSTGRES_ROLE}')`,
    `ALTER ROLE ${POSTGRES_ROLE} RENAME TO ${POSTGRES_SUPERUSER}`,
  ),
  statementIf(
    `NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${POSTGRES_ROLE}')`,
    `CREATE ROLE ${POSTGRES_ROLE}`,
  ),
  `ALTER ROLE ${POSTGRES_ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${password}'`,
  `ALTER ROLE ${POSTGRES_SUPERUSER} NOLOGIN PASSWORD NULL`,
  statementIf(
    `NOT EXISTS (SELECT FROM pg_database WHERE datname = '${POSTGRES_DATABASE}')`,
    `ALTER DATABASE postgres RENAME TO ${POSTGRES_DATABASE}`,
  ),
  `ALTER DATABASE ${POSTGRES_DATABASE} OWNER TO ${POSTGRES_ROLE}`,
];

const statementIf = (condition: string, statement: string): string =>
  `DO $do$ BEGIN IF ${condition} THEN ${statement}; END IF; END $do$`;
