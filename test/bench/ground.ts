import { Client, Connection } from '@temporalio/client';
import { drawFreePort } from '../support/free-port.ts';
import { waitForTemporal, temporalServerSpec } from '../../src/stack/servers/temporal-server.ts';
import type { Arm } from './arms/arm.ts';
import { startBareArm } from './arms/bare-arm.ts';
import { startBroadcastArm, type BroadcastArm } from './arms/broadcast-arm.ts';
import { startOrionArm, type OrionArm } from './arms/orion-arm.ts';
import { startPollingArm } from './arms/polling-arm.ts';
import { startProxyArm } from './arms/proxy-arm.ts';
import { BenchModel } from './model.ts';
import { root, type BenchProcesses } from './processes.ts';

const READY_TIMEOUT_MS = 60_000;
const NAMESPACE = 'default';

/** What the figures share: one model, one Temporal server and all arms. */
export interface Ground {
  readonly model: BenchModel;
  readonly temporal: Client;
  /** The address of the Temporal server, `host:port`. */
  readonly temporalAddress: string;
  /** The address of the metrics in which the Temporal server counts its work. */
  readonly metricsUrl: string;
  readonly orion: OrionArm;
  readonly broadcast: BroadcastArm;
  /** All arms that answer a single client, including `orion`. */
  readonly arms: readonly Arm[];
  /** Returns the process ids of all that the run has started, by name. */
  pids(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Starts Temporal with the flags of `npm start` and a port for its metrics. */
const startTemporal = async (processes: BenchProcesses): Promise<{ address: string; metricsUrl: string }> => {
  const [port, metricsPort] = [await drawFreePort(), await drawFreePort()];
  const { dir: dataDir } = processes;
  const options = { root, dataDir, port, ui: undefined, namespace: NAMESPACE, env: process.env };
  const spec = temporalServerSpec(options);
  const child = await processes.start({
    ...spec,
    args: [...spec.args, '--metrics-port', String(metricsPort)],
  });
  await waitForTemporal(child, options, READY_TIMEOUT_MS);
  return { address: `127.0.0.1:${port}`, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
};

const startModel = async (processes: BenchProcesses): Promise<BenchModel> => {
  const entry = 'test/support/fake-model/main.ts';
  return new BenchModel(await processes.serve({ name: 'fake-model', role: 'demo-model', entry }));
};

export const startGround = async (processes: BenchProcesses): Promise<Ground> => {
  const [model, { address, metricsUrl }] = await Promise.all([
    startModel(processes),
    startTemporal(processes),
  ]);
  const [proxy, bare, orion, polling, broadcast] = await Promise.all([
    startProxyArm(processes, model),
    startBareArm(processes, model, address),
    startOrionArm(processes, model, address),
    startPollingArm(processes, model, address),
    startBroadcastArm(processes, model),
  ]);
  const connection = await Connection.connect({ address });
  return {
    model,
    temporal: new Client({ connection, namespace: NAMESPACE }),
    temporalAddress: address,
    metricsUrl,
    orion,
    broadcast,
    arms: [proxy, bare, orion, polling],
    pids: () => processes.pids(),
    close: () => connection.close(),
  };
};
