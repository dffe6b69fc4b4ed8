/** Tests the processes of `npm start` while single ones fail, and how they end. */
import { describe, expect, it } from '@jest/globals';
import { readStartTime } from '../../src/stack/processes/process-identity.ts';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { lastingAnswer, longAnswer } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { useStack } from '../support/use-stack.ts';

/**
 * A timeout (ms) far longer than any test waits, so that the heartbeat cannot be what reveals the death of a worker.
 */
const HEARTBEAT_TIMEOUT_MS = 300_000;
const RECOVERY_MS = 150_000;

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;

useStack(
  { MODEL_HEARTBEAT_TIMEOUT_MS: String(HEARTBEAT_TIMEOUT_MS), ORION_WORKERS: '2' },
  (started) => void ({ stack, chat, fake } = started),
);

const streamThenStrike = async (strike: (worker: number) => void): Promise<number> => {
  fake.script(lastingAnswer(), longAnswer(5, 50), longAnswer(5, 50));
  const turn = await chat.chat({ content: 'go on' });
  await turn.next(({ data }) => data['type'] === 'chunk');
  const struckAt = performance.now();
  // Nobody outside knows which worker streams, so all of them are struck.
  for (const worker of await stack.pidsOf('worker')) strike(worker);
  await turn.next(({ data }) => data['type'] === 'reset');
  await turn.next(({ data }) => data['type'] === 'done');
  fake.clear();
  return performance.now() - struckAt;
};

describe('a turn whose workers', () => {
  it('are killed goes on before its heartbeat times out, once they are started again', async () => {
    const took = await streamThenStrike((worker) => process.kill(worker, 'SIGKILL'));
    expect(took).toBeLessThan(RECOVERY_MS);
  });

  it('are frozen goes on before its heartbeat times out, once they are detected and killed', async () => {
    const took = await streamThenStrike((worker) => process.kill(worker, 'SIGSTOP'));
    expect(took).toBeLessThan(RECOVERY_MS);
  });
});

describe('the end', () => {
  it('comes within 10 s of a signal and leaves no process and no list behind', async () => {
    const pids = (await stack.processes()).map(({ pid }) => pid);
    expect(pids.length).toBeGreaterThanOrEqual(4);
    const startedAt = performance.now();
    await stack.stop();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    // The supervisor has ended; the kernel may still be removing its children.
    await eventually('no process', () => pids.every((pid) => readStartTime(pid) === undefined));
    await expect(stack.processes()).rejects.toThrow('ENOENT');
  });
});
