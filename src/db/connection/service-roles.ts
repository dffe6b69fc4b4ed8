import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { sqlStateOf } from './sql-state.ts';

/** A role of a Postgres server that a service logs in with. */
export interface ServiceRole {
  readonly name: string;
  readonly password: string;
  /** Databases that the role owns. Those that do not exist are created. */
  readonly databases: readonly string[];
}

/**
 * A temporary superuser that renames another superuser, since no role can rename itself. `ensureServiceRoles` drops it
 * afterwards.
 */
export const HANDOVER_ROLE = 'orion_handover';

/**
 * Gives each service a role and databases, on a server of Orion's own. The roles own their databases and what
 * `OWNED_BY_OTHERS` finds in them. They may connect to none of the other databases, and may create no role or database.
 * `url` is the address of the superuser, which is renamed if it still has the name `formerName`. Safe to repeat.
 * Rejects with the errors of Postgres.
 */
export const ensureServiceRoles = async (
  url: string,
  formerName: string,
  roles: readonly ServiceRole[],
): Promise<void> => {
  await ensureSuperuser(url, formerName);
  await withClient(url, async (client) => {
    await client.query(`drop role if exists ${HANDOVER_ROLE}`);
    for (const role of roles) {
      await ensureRole(client, role);
      for (const database of role.databases) await ensureDatabase(client, database, role.name);
    }
    await closeToOthers(client);
  });
  for (const { name, databases } of roles) {
    for (const database of databases) {
      const databaseUrl = new URL(url);
      databaseUrl.pathname = `/${encodeURIComponent(database)}`;
      await withClient(databaseUrl.href, (client) => takeOver(client, name));
    }
  }
};

const ensureSuperuser = async (url: string, formerName: string): Promise<void> => {
  try {
    await withClient(url, () => Promise.resolve());
  } catch (error) {
    if (!isRefused(error)) throw error;
    await renameSuperuser(url, formerName);
  }
};

/**
 * Reports whether Postgres has refused the login (SQLSTATE class 28): there is no such role, or it has another
 * password.
 */
const isRefused = (error: unknown): boolean => sqlStateOf(error)?.startsWith('28') === true;

/**
 * Renames the superuser of a server that an earlier version set up. A service now has the name of that superuser, and
 * the first superuser of a server cannot lose its privileges. The renamed role keeps its password. If this is
 * interrupted anywhere, it can be run again.
 */
const renameSuperuser = async (url: string, formerName: string): Promise<void> => {
  const { username, password } = new URL(url);
  const secret = escapeLiteral(decodeURIComponent(password));
  await withClient(asUser(url, formerName), async (client) => {
    const verb = (await exists(client, 'pg_roles', HANDOVER_ROLE)) ? 'alter' : 'create';
    await client.query(`${verb} role ${HANDOVER_ROLE} login superuser password ${secret}`);
  });
  await withClient(asUser(url, HANDOVER_ROLE), (client) =>
    client.query(`alter role ${escapeIdentifier(formerName)} rename to ${escapeIdentifier(username)}`),
  );
};

const asUser = (url: string, user: string): string => {
  const changed = new URL(url);
  changed.username = user;
  return changed.href;
};

/** Creates or changes a role so that it may log in, and may act only on what it owns. */
const ensureRole = async (client: Client, { name, password }: ServiceRole): Promise<void> => {
  const verb = (await exists(client, 'pg_roles', name)) ? 'alter' : 'create';
  const attributes = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
  await client.query(
    `${verb} role ${escapeIdentifier(name)} ${attributes} password ${escapeLiteral(password)}`,
  );
};

const ensureDatabase = async (client: Client, database: string, owner: string): Promise<void> => {
  const name = escapeIdentifier(database);
  const role = escapeIdentifier(owner);
  if (!(await exists(client, 'pg_database', database))) {
    await client.query(`create database ${name} owner ${role}`);
  }
  await client.query(`alter database ${name} owner to ${role}`);
};

const exists = async (
  client: Client,
  catalog: 'pg_roles' | 'pg_database',
  name: string,
): Promise<boolean> => {
  const column = catalog === 'pg_roles' ? 'rolname' : 'datname';
  const { rowCount } = await client.query(`select from ${catalog} where ${column} = $1`, [name]);
  return rowCount === 1;
};

/**
 * Revokes from `public` the rights to connect to the databases of the server and to create temporary tables there.
 * Owners and superusers keep these rights.
 */
const closeToOthers = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where datallowconn',
  );
  for (const { datname } of rows) {
    await client.query(`revoke connect, temporary on database ${escapeIdentifier(datname)} from public`);
  }
};

/**
 * The query for statements that hand over the tables, views, sequences, routines and types of a database, except what
 * belongs to the server itself or to an extension. Each statement lacks the name of the new owner, `$1`. The sequence
 * of a column and the type of a table follow their table, and may not be named.
 */
const OWNED_BY_OTHERS = `
  with mine as (select oid from pg_roles where rolname = $1),
  places as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  tied as (
    select classid, objid from pg_depend join pg_class of_table on of_table.oid = objid
    where deptype in ('a', 'i') and of_table.relkind = 'S' and classid = 'pg_class'::regclass
    union all select classid, objid from pg_depend where deptype = 'e')
  select format('alter table %s owner to', c.oid::regclass) as statement
  from pg_class c join places p on p.oid = c.relnamespace, mine
  where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and c.relowner <> mine.oid
    and not exists (select from tied where classid = 'pg_class'::regclass and objid = c.oid)
  union all
  select format('alter routine %s owner to', f.oid::regprocedure)
  from pg_proc f join places p on p.oid = f.pronamespace, mine
  where f.proowner <> mine.oid
    and not exists (select from tied where classid = 'pg_proc'::regclass and objid = f.oid)
  union all
  select format('alter type %s owner to', t.oid::regtype)
  from pg_type t join places p on p.oid = t.typnamespace, mine
  where t.typowner <> mine.oid and t.typtype in ('e', 'd', 'r', 'c')
    and not exists (select from pg_class c where c.oid = t.typrelid and c.relkind <> 'c')
    and not exists (select from tied where classid = 'pg_type'::regclass and objid = t.oid)`;

/** Gives the role, in one transaction, everything in its database that `OWNED_BY_OTHERS` finds. */
const takeOver = async (client: Client, owner: string): Promise<void> => {
  const { rows } = await client.query<{ statement: string }>(OWNED_BY_OTHERS, [owner]);
  await client.query('begin');
  for (const { statement } of rows) await client.query(`${statement} ${escapeIdentifier(owner)}`);
  await client.query('commit');
};

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
