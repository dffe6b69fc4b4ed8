import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { ChildHandle, ChildSpec } from '../processes/child.ts';
import { temporalCliLink } from '../setup/temporal-cli.mjs';
import type { LoopbackAddress } from './ports.ts';

/**
 * Dynamic configuration of the server. The reasons for most values, with figures, are in docs/decisions/poll-rates.md,
 * docs/decisions/visibility-written-twice-a-second.md and docs/decisions/one-query-in-flight.md. Quotes are part of a
 * value.
 */
const DYNAMIC_CONFIG = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'history.transferProcessorMaxPollRPS=5000',
  'history.timerProcessorMaxPollRPS=5000',
  'history.timerProcessorMaxTimeShift="10ms"',
  // If the rows of workflow lists were written one by one as they come, a turn that starts would have to wait for the
  // database.
  'history.visibilityProcessorMaxPollRPS=2',
  'history.visibilityTaskBatchSize=1000',
  'history.MaxBufferedQueryCount=100',
  'system.enableCancelActivityWorkerCommand=true',
  'frontend.WorkerCommandsEnabled=true',
];

/**
 * Switches the HTTP API off. The server would serve it at a port of its own choice, and accept a workflow from any web
 * page. Nothing in Orion uses it. A list with only a host that cannot exist refuses all requests.
 */
const NO_HTTP_API = 'frontend.httpAllowedHosts=["none.invalid"]';

export interface TemporalServerOptions {
  /** The folder of the checkout, below which set-up has put the CLI. */
  readonly root: string;
  readonly dataDir: string;
  readonly port: number;
  /** The address of the Web UI, which has no authentication. Undefined means no Web UI. */
  readonly ui: LoopbackAddress | undefined;
  readonly namespace: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Returns the process of a Temporal dev server that listens on loopback and keeps its state in the data directory. */
export const temporalServerSpec = (options: TemporalServerOptions): ChildSpec => ({
  role: 'temporal',
  command: temporalCliLink(join(options.root, '.orion', 'tools')),
  args: [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${options.port}`,
    ...(options.ui === undefined
      ? ['--headless']
      : [`--ui-ip=${options.ui.host}`, `--ui-port=${options.ui.port}`]),
    `--namespace=${options.namespace}`,
    '--log-level=error',
    `--db-filename=${join(options.dataDir, 'temporal.db')}`,
    '--sqlite-pragma=journal_mode=WAL',
    '--sqlite-pragma=synchronous=NORMAL',
    ...[...DYNAMIC_CONFIG, NO_HTTP_API].map((value) => `--dynamic-config-value=${value}`),
  ],
  env: options.env,
  cwd: options.root,
  logFile: join(options.dataDir, 'logs', 'temporal.log'),
  stopSignal: 'SIGTERM',
  port: options.port,
  hasIpc: false,
});

const POLL_MS = 50;

/**
 * Resolves when the server knows the namespace, because a worker that starts before that fails. Rejects after
 * `timeoutMs`, or when the server ends before.
 */
export const waitForTemporal = async (
  child: ChildHandle,
  options: Pick<TemporalServerOptions, 'port' | 'namespace'>,
  timeoutMs: number,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await hasNamespace(`127.0.0.1:${options.port}`, options.namespace))) {
    if (performance.now() > deadline) throw new Error(`not ready after ${timeoutMs} ms`);
    // Waiting longer for a child that has ended would only hide why.
    const ended = await Promise.race([child.exited, delay(POLL_MS)]);
    if (ended !== undefined) throw new Error(`ended before it was ready: ${ended.how}`);
  }
};

const hasNamespace = async (address: string, namespace: string): Promise<boolean> => {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 1000 });
    try {
      await connection.workflowService.describeNamespace({ namespace });
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
};
