import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startChild,
  stopChild,
  type ChildHandle,
  type ChildRegistry,
  type ChildSpec,
} from '../../src/stack/processes/child.ts';
import { drawFreePort } from './free-port.ts';
import { waitForPostgres, preparePostgres } from '../../src/stack/servers/postgres-server.ts';
import { createProcessesFile } from '../../src/stack/processes/processes-file.ts';
import { openReapList } from '../../src/stack/processes/reap-list.ts';
import { waitForTemporal, temporalServerSpec } from '../../src/stack/servers/temporal-server.ts';
import { writeWorkflowBundle } from '../../src/stack/workflow-bundle.ts';
import { logLine } from './test-log.ts';
import { ROOT } from './root.ts';

const READY_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 5000;

/** The servers of a test run. `env` has the variables from which tests read their addresses. */
export interface TestServers {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface Started {
  readonly child: ChildHandle;
  readonly spec: ChildSpec;
}

const startPostgres = async (
  dataDir: string,
  registry: ChildRegistry,
): Promise<Started & { url: string; outside: string | undefined }> => {
  // No test cuts the power, so `fsync` is off; 300 connections are enough although every file opens pools of its own.
  const access = join(dataDir, 'postgres-access.conf');
  const settings = ['fsync=off', 'max_connections=300', `hba_file=${access}`];
  const port = await drawFreePort();
  const server = await preparePostgres({ dataDir, port, env: process.env, settings, log: logLine });
  // The role of the tests creates a database for each file, which the product's own role may not.
  await server.runSingleUser('template1', ['ALTER ROLE orion CREATEDB']);
  writeFileSync(access, 'host all orion 127.0.0.1/32 scram-sha-256\n');
  const child = await startChild(server.spec, registry);
  await waitForPostgres(child, server.layout.cluster, READY_TIMEOUT_MS);
  return { child, spec: server.spec, url: server.url, outside: server.layout.outside };
};

const startTemporal = async (
  dataDir: string,
  registry: ChildRegistry,
): Promise<Started & { address: string }> => {
  const port = await drawFreePort();
  const options = { root: ROOT, dataDir, port, ui: undefined, namespace: 'default', env: process.env };
  const spec = temporalServerSpec(options);
  const child = await startChild(spec, registry);
  await waitForTemporal(child, options, READY_TIMEOUT_MS);
  return { child, spec, address: `127.0.0.1:${port}` };
};

/**
 * Starts one Temporal, one Postgres and one workflow bundle for all test files of a run, in a folder of their own, so
 * that runs side by side do not meet. They end with this process, however it ends.
 */
export const startTestServers = async (): Promise<TestServers> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'orion-test-'));
  // Postgres may run under another account, which must be able to reach the file with its access rules.
  chmodSync(dataDir, 0o711);
  const reapList = await openReapList(join(dataDir, 'processes.reap'));
  const registry = { reapList, processes: createProcessesFile(dataDir) };
  const [postgres, temporal, bundle] = await Promise.all([
    startPostgres(dataDir, registry),
    startTemporal(dataDir, registry),
    // The bundle lies beside the checkout's own data, so that unchanged sources are not bundled again for every run.
    writeWorkflowBundle(ROOT, join(ROOT, '.orion', 'test'), new AbortController().signal),
  ]);
  return {
    env: {
      ORION_TEST_DATABASE_URL: postgres.url,
      ORION_TEST_TEMPORAL_ADDRESS: temporal.address,
      ORION_TEST_WORKFLOW_BUNDLE: bundle,
    },
    async stop() {
      const stop = ({ child, spec }: Started) => stopChild(child, spec.stopSignal, STOP_GRACE_MS);
      await Promise.all([stop(postgres), stop(temporal)]);
      reapList.close();
      for (const folder of [dataDir, postgres.outside]) {
        if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};
