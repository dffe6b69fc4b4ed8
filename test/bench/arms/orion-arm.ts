import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../../src/stack/ports.ts';
import type { BenchModel } from '../model.ts';
import { type BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';

const READY_TIMEOUT_MS = 60_000;

export interface OrionArm extends Arm {
  readonly baseUrl: string;
  /** Holds `processes.json`. */
  readonly dataDir: string;
  readonly taskQueue: string;
}

/** The product as `npm start` runs it: supervisor, gateway, two workers, Postgres; Temporal is the run's own. */
export const startOrionArm = async (
  processes: BenchProcesses,
  model: BenchModel,
  temporalAddress: string,
): Promise<OrionArm> => {
  const [port, postgresPort] = [await findFreePort(), await findFreePort()];
  const dataDir = join(processes.dir, 'orion');
  const taskQueue = 'bench-orion';
  const env = {
    ORION_PORT: String(port),
    ORION_POSTGRES_PORT: String(postgresPort),
    ORION_DATA_DIR: dataDir,
    ORION_TASK_QUEUE: taskQueue,
    ORION_WORKERS: '2',
    TEMPORAL_ADDRESS: temporalAddress,
    // Empty counts as unset: an address in the environment of whoever measures must not be used.
    DATABASE_URL: '',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-bench',
    ORION_MODEL: 'fake',
    RATE_LIMIT_TURNS_PER_MINUTE: '0',
    LOG_LEVEL: 'info',
  };
  const entry = 'src/stack/main.ts';
  const child = await processes.start(
    processes.nodeSpec({ name: 'orion', role: 'supervisor', entry, env }, false),
  );
  const baseUrl = `http://127.0.0.1:${port}`;
  const ended = child.exited.then(({ how }) =>
    Promise.reject(new Error(`orion: ${how}\n${child.logTail()}`)),
  );
  await Promise.race([untilReady(baseUrl), ended]);
  ended.catch(() => undefined);
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
