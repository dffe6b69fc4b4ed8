import { type Database, openDatabase } from '../../src/db/connection/database.ts';
import { migrateDatabase } from '../../src/db/migrations/migrate.ts';
import { drawFreePort } from '../support/free-port.ts';
import { waitForPostgres, preparePostgres } from '../../src/stack/servers/postgres-server.ts';
import { type OrionArm, startOrionArm } from './arms/orion-arm.ts';
import type { Bench } from './figure.ts';
import type { Ground } from './ground.ts';
import { BenchProcesses } from './processes.ts';

const READY_TIMEOUT_MS = 60_000;
/** Filling a database takes longer than a server's queries may. */
const FILL_TIMEOUT_MS = 60_000;

/**
 * Starts a Postgres that only this figure reads and fills, as `npm start` runs it; resolves to its connection string.
 */
export const startPostgres = async (processes: BenchProcesses): Promise<string> => {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const options = { dataDir: processes.dir, port: await drawFreePort(), env: process.env, log };
  const { spec, url, layout } = await preparePostgres(options);
  await waitForPostgres(await processes.start(spec), layout.cluster, READY_TIMEOUT_MS);
  return url;
};

/** Opens a database and creates all tables in it. */
export const openTables = async (url: string) => {
  const { db, close } = openDatabase(url, { queryTimeoutMs: FILL_TIMEOUT_MS });
  await migrateDatabase(db);
  return { db, close };
};

/** A stack on the shared model and Temporal server whose database only this figure uses. */
export interface OwnStack extends Pick<Ground, 'model' | 'temporal'> {
  readonly db: Database;
  readonly orion: OrionArm;
}

/** Runs `work` on a stack of its own, which is stopped and removed afterwards; its task queue is named after `name`. */
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
