/**
 * kill -9 of a worker that nobody supervises, as in containers: the others see it end, or the one that is started next.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import { ChatClient } from '../support/chat-client.ts';
import { textOf, violations } from '../support/recording-check.ts';
import { logLine } from '../support/test-log.ts';
import { temporalAddress } from '../support/turn-worker.ts';
import { kill, LooseProcesses } from './support/loose-processes.ts';

jest.setTimeout(60_000);

/** Far below the heartbeat timeout, which finds it otherwise; an unloaded machine takes half a second. */
const MAX_SILENCE_MS = 4_000;
/** The same beside what a process takes to start. */
const SPARE_MS = 2_000;
const NUMBERS = 150;
const ALL = Array.from({ length: NUMBERS }, (_, i) => String(i + 1));

let processes: LooseProcesses;
let chat: ChatClient;
const temporal = createTemporalClient({ address: temporalAddress() }, 'default');

beforeAll(async () => {
  processes = await LooseProcesses.open();
  const { port } = await processes.start('src/gateway/main.ts');
  chat = new ChatClient(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await processes.stop();
  await temporal.connection.close();
});

/** Who runs the model call of a turn. */
const workerOf = async (turnId: string): Promise<ChildProcess> => {
  const { pendingActivities } = await temporal.client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: `turn/${turnId}` },
  });
  const child = processes.byIdentity.get(pendingActivities[0]?.lastWorkerIdentity ?? '');
  if (child === undefined) throw new Error(`no worker of ${JSON.stringify(pendingActivities)}`);
  return child;
};

/** Streams a turn whose worker is killed in the middle of it; how long no frame came, at the longest. */
const silenceAfter = async (next = () => Promise.resolve()): Promise<number> => {
  const requestId = randomUUID();
  await chat.post('/api/turns', { content: `count to ${NUMBERS}`, requestId });
  const killAndGoOn = async (): Promise<void> => {
    await kill(await workerOf(requestId));
    await next();
  };
  let killed: Promise<void> | undefined;
  const frames = await chat.follow(requestId, ({ data }) => {
    if (/\b50\b/.test(String(data['content']))) killed ??= killAndGoOn();
  });
  expect(killed).toBeDefined();
  await killed;
  expect(violations(frames)).toEqual([]);
  expect(frames.filter(({ data }) => data['type'] === 'reset')).toHaveLength(1);
  expect(textOf(frames).match(/\d+/g)).toEqual(ALL);
  const silence = Math.max(...frames.map(({ at }, index) => at - (frames[index - 1]?.at ?? at)));
  logLine(`nothing came for ${silence} ms`);
  return silence;
};

it('another worker goes on', async () => {
  await Promise.all([processes.start('worker/main.ts'), processes.start('worker/main.ts')]);
  expect(await silenceAfter()).toBeLessThan(MAX_SILENCE_MS);
});

it('one that is started next goes on with what its predecessor did', async () => {
  let startedMs = 0;
  const silence = await silenceAfter(async () => {
    const since = performance.now();
    await processes.start('worker/main.ts');
    startedMs = performance.now() - since;
  });
  expect(silence).toBeLessThan(startedMs + SPARE_MS);
});
