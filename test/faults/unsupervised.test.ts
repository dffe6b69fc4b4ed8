/**
 * Kills a worker without a supervisor with SIGKILL, as in containers: the death is noticed by the other workers, by the
 * worker that is started next, or by a gateway.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import { heldAt } from '../e2e/support/cli-world.ts';
import { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import { startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { recordedText, violations } from '../support/recording-check.ts';
import { logLine } from '../support/test-log.ts';
import { temporalAddress } from '../support/turn-worker.ts';
import { kill, LooseProcesses } from './support/loose-processes.ts';

// On a busy machine two workers take 40 s to start.
jest.setTimeout(180_000);

const WORDS = Array.from({ length: 100 }, (_, i) => `word${i + 1} `);
const ANSWER = WORDS.join('');

let fake: FakeModel;
let processes: LooseProcesses;
let chat: ChatClient;
const temporal = createTemporalClient({ address: temporalAddress() }, 'default');

beforeAll(async () => {
  fake = await startFakeModel();
  processes = await LooseProcesses.open({
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    // This timeout (ms) is longer than any test waits, so that the heartbeat cannot be what reveals the death.
    MODEL_HEARTBEAT_TIMEOUT_MS: '300000',
  });
  // With this setting the gateway does not look for lost workers, so only the other workers do.
  const { port } = await processes.start('src/gateway/main.ts', 0, { ORION_SUPERVISED: 'on' });
  chat = new ChatClient(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await processes.stop();
  await fake.close();
  await temporal.connection.close();
});

const activitiesOf = async (turnId: string) => {
  const { pendingActivities } = await temporal.client.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: `turn/${turnId}` },
  });
  return pendingActivities;
};

/** Returns the worker that runs the model call of a turn. */
const workerOf = async (turnId: string): Promise<ChildProcess> => {
  const pendingActivities = await activitiesOf(turnId);
  const child = processes.byIdentity.get(pendingActivities[0]?.lastWorkerIdentity ?? '');
  if (child === undefined) throw new Error(`no worker of ${JSON.stringify(pendingActivities)}`);
  return child;
};

/** Kills the worker of a turn in the middle of its answer; resolves to the answer as its reader gets it. */
const answerAcrossKill = async (next = (_turnId: string) => Promise.resolve()): Promise<string> => {
  const requestId = randomUUID();
  fake.rules({ responses: [heldAt(requestId, WORDS)], repeat: true });
  await chat.start({ content: 'say it', requestId });
  const killAndGoOn = async (): Promise<void> => {
    await kill(await workerOf(requestId));
    fake.release(requestId);
    await next(requestId);
  };
  let killed: Promise<void> | undefined;
  const frames = await chat.follow(requestId, ({ data }) => {
    if (String(data['content']).includes('word50 ')) killed ??= killAndGoOn();
  });
  expect(killed).toBeDefined();
  await killed;
  fake.clear();
  expect(violations(frames)).toEqual([]);
  expect(frames.filter(({ data }) => data['type'] === 'reset')).toHaveLength(1);
  const silence = Math.max(...frames.map(({ at }, index) => at - (frames[index - 1]?.at ?? at)));
  logLine(`nothing came for ${silence} ms`);
  return recordedText(frames);
};

it('another worker continues the turn', async () => {
  await Promise.all([processes.start('worker/main.ts'), processes.start('worker/main.ts')]);
  expect(await answerAcrossKill()).toBe(ANSWER);
});

it('a worker that is started next continues what its predecessor did', async () => {
  const next = async (): Promise<void> => void (await processes.start('worker/main.ts'));
  expect(await answerAcrossKill(next)).toBe(ANSWER);
});

it('a gateway releases the work of the only worker before another one is there', async () => {
  await processes.start('src/gateway/main.ts');
  const next = async (turnId: string): Promise<void> => {
    await eventually('the model call to be free', async () => {
      const [activity] = await activitiesOf(turnId);
      return activity?.lastFailure?.applicationFailureInfo?.type === 'worker_lost';
    });
    await processes.start('worker/main.ts');
  };
  expect(await answerAcrossKill(next)).toBe(ANSWER);
});
