/** Prepares the database of the data directory that is its argument, in a process that a test can end. */
import { preparePostgres } from '../../../src/stack/servers/postgres-server.ts';

const [, , dataDir = ''] = process.argv;
await preparePostgres({ dataDir, port: 1, env: process.env, log: () => undefined });
