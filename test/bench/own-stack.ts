import { type Database, openDatabase } from '../../src/db/connection/database.ts';
import { migrateDatabase } from '../../src/db/migrations/migrate.ts';
import { findFreePort } from '../../src/stack/servers/ports.ts';
import { postgresReady, preparePostgres } from '../../src/stack/servers/postgres-server.ts';
import { type OrionArm, startOrionArm } from './arms/orion-arm.ts';
import type { Bench } from './figure.ts';
import type { Ground } from './ground.ts';
import { BenchProcesses } from './processes.ts';

const READY_TIMEOUT_MS = 60_000;
/** The limit of a server's queries is not for filling a database. */
const FILL_TIMEOUT_MS = 60_000;

/** Starts a Postgres that the figure may read and fill, as `npm start` runs it; its connection string. */
export const startPostgres = async (processes: BenchProcesses): Promise<string> => {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const options = { dataDir: processes.dir, port: await findFreePort(), env: process.env, log };
  const { spec, url, place } = await preparePostgres(options);
  await postgresReady(await processes.start(spec), place.cluster, READY_TIMEOUT_MS);
  return url;
};

/** Opens a database with all tables. */
export const openTables = async (url: string) => {
  const { db, close } = openDatabase(url, { queryTimeoutMs: FILL_TIMEOUT_MS });
  await migrateDatabase(db);
  return { db, close };
};

/** A stack at the ground's model and Temporal, whose database the figure has for itself. */
export interface OwnStack extends Pick<Ground, 'model' | 'temporal'> {
  readonly db: Database;
  readonly orion: OrionArm;
}

/** Does something with a stack that is stopped, and removed, behind it; `name`: of its task queue. */
export const withOwnStack = async <T>(
  { ground }: Pick<Bench, 'ground'>,
  name: string,
  work: (stack: OwnStack) => Promise<T>,
): Promise<T> => {
  const { model, temporal, temporalAddress } = await ground();
  const processes = await BenchProcesses.open();
  try {
    const url = await startPostgres(processes);
    const { db, close } = await openTables(url);
    const variant = { name, env: { DATABASE_URL: url } };
    const orion = await startOrionArm(processes, model, temporalAddress, variant);
    const done = await work({ model, temporal, db, orion });
    await close();
    return done;
  } finally {
    await processes.stop();
  }
};
