import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { drawFreePort } from '../../support/free-port.ts';
import type { BenchModel } from '../model.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';

const READY_TIMEOUT_MS = 60_000;
/** The name of a stack, and the settings that differ from those of the stack that most figures measure. */
export interface OrionVariant {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

const PLAIN: OrionVariant = { name: 'orion', env: {} };

export interface OrionArm extends Arm {
  readonly baseUrl: string;
  /** The data directory, which contains `processes.json`. */
  readonly dataDir: string;
  readonly taskQueue: string;
}

interface Address {
  readonly port: number;
  readonly dataDir: string;
  readonly taskQueue: string;
}

/**
 * Starts the product as `npm start` runs it: supervisor, gateway, two workers and Postgres. Only Temporal is not its
 * own: it uses the server of the benchmark.
 */
export const startOrionArm = async (
  processes: BenchProcesses,
  model: BenchModel,
  temporalAddress: string,
  variant: OrionVariant = PLAIN,
): Promise<OrionArm> => {
  const { name } = variant;
  const taskQueue = `bench-${name}`;
  const address = { port: await drawFreePort(), dataDir: join(processes.dir, name), taskQueue };
  const env = {
    ...settings(address, model),
    ORION_POSTGRES_PORT: String(await drawFreePort()),
    TEMPORAL_ADDRESS: temporalAddress,
    ...variant.env,
  };
  const entry = 'src/stack/main.ts';
  const child = await processes.start(processes.nodeSpec({ name, role: 'supervisor', entry, env }, false));
  const arm = armAt(address);
  const ended = child.exited.then(({ how }) => Promise.reject(new Error(`${how}\n${child.logTail()}`)));
  await Promise.race([untilReady(arm.baseUrl), ended]);
  return arm;
};

const settings = ({ port, dataDir, taskQueue }: Address, model: BenchModel): Record<string, string> => ({
  ORION_PORT: String(port),
  ORION_DATA_DIR: dataDir,
  ORION_TASK_QUEUE: taskQueue,
  ORION_WORKERS: '2',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_API_KEY: 'sk-bench',
  ORION_MODEL: 'fake',
  // One client plays hundreds of clients.
  RATE_LIMIT_TURNS_PER_MINUTE: '0',
  MAX_TWO_STAGE_TURNS_PER_KEY: '0',
  MAX_STREAMS_PER_CLIENT: '10000',
});

const armAt = ({ port, dataDir, taskQueue }: Address): OrionArm => {
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    name: 'orion',
    url: `${baseUrl}/api/chat/messages_two_stage`,
    baseUrl,
    dataDir,
    taskQueue,
    body: (id, content) => ({ projectId: 'bench', conversationId: id, requestId: id, content }),
    textOf: textOfFrame,
    workflowId: (id) => `turn/${id}`,
  };
};

const textOfFrame = (data: string): string => {
  const frame = JSON.parse(data) as { type: string; chunk?: string; notice?: string; error?: string };
  if (frame.type === 'error') throw new Error(`orion: ${frame.error}`);
  return frame.notice === undefined ? (frame.chunk ?? '') : '';
};

const untilReady = async (baseUrl: string): Promise<void> => {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const answer = await fetch(`${baseUrl}/ready`).catch(() => undefined);
    if (answer?.ok) return;
    if (performance.now() > deadline) throw new Error(`orion: not ready after ${READY_TIMEOUT_MS} ms`);
    await delay(100);
  }
};
