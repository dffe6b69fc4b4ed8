import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, stopChild } from '../../../src/stack/processes/child.ts';
import { createProcessesFile } from '../../../src/stack/processes/processes-file.ts';
import { openReapList } from '../../../src/stack/processes/reap-list.ts';
import { drawFreePort } from '../../support/free-port.ts';
import { waitForPostgres, preparePostgres } from '../../../src/stack/servers/postgres-server.ts';
import { logLine } from '../../support/test-log.ts';

const HELPER = 'renaming';

/**
 * Starts a separate Postgres whose superuser logs in under the given name, because nobody can log in as that of the
 * shared server.
 */
export const startOwnServer = async (
  superuser: string,
  password: string,
): Promise<{ port: number; stop(): Promise<void> }> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'orion-roles-'));
  // Postgres may run under another account, which has to read the file with its access rules.
  chmodSync(dataDir, 0o711);
  const access = join(dataDir, 'access.conf');
  const port = await drawFreePort();
  const settings = ['fsync=off', `hba_file=${access}`];
  const server = await preparePostgres({ dataDir, port, env: process.env, settings, log: logLine });
  await server.runSingleUser('template1', [
    `create role ${HELPER} superuser`,
    `set session authorization ${HELPER}`,
    'alter role orion rename to orion_unused',
    `alter role orion_superuser rename to ${superuser}`,
    `alter role ${superuser} login password '${password}'`,
  ]);
  await server.runSingleUser('template1', [`drop role ${HELPER}`]);
  writeFileSync(access, 'host all all 127.0.0.1/32 scram-sha-256\n');
  const reapList = await openReapList(join(dataDir, 'processes.reap'));
  const child = await startChild(server.spec, { reapList, processes: createProcessesFile(dataDir) });
  await waitForPostgres(child, server.layout.cluster, 60_000);
  return {
    port,
    stop: async () => {
      await stopChild(child, server.spec.stopSignal, 5_000);
      reapList.close();
      for (const folder of [dataDir, server.layout.outside]) {
        if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};
