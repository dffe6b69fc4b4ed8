/**
 * Sends SIGTERM in the middle of a stream, as a deploy does: nothing is lost, and nothing is paid twice without need.
 */
import { describe, expect, it } from '@jest/globals';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { heldAnswer, readTimedText } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { recordedText, violations } from '../support/recording-check.ts';
import { useStack } from '../support/use-stack.ts';
import { waitedForProcessorMs, cpuAdjustedNow } from '../support/own-time.ts';

const CHUNKS = 150;
/**
 * Half of the milliseconds that a gateway grants to running answers: no request of these tests may hold it that long.
 */
const PROMPT_MS = 1_500;
const ALL = Array.from({ length: CHUNKS }, (_, i) => i + 1);
let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;

const onStack = (env: Readonly<Record<string, string>>): void =>
  useStack({ ORION_WORKERS: '2', ...env }, (started) => void ({ stack, chat, fake } = started));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Returns the milliseconds until a process has ended, without those in which other processes kept it from running. */
const endingOf = async (pid: number): Promise<number> => {
  const [since, waitedBefore] = [cpuAdjustedNow(), waitedForProcessorMs(pid)];
  let waited = waitedBefore;
  await eventually('its end', () => {
    waited = Math.max(waited, waitedForProcessorMs(pid));
    return !isAlive(pid);
  });
  return cpuAdjustedNow() - since - (waited - waitedBefore);
};

/** Follows a long answer and, once it streams, asks every process of a role to end; then the provider goes on. */
const followThrough = async (requestId: string, role: string, goesOn: 'at once' | 'after their end') => {
  fake.rules({ responses: [heldAnswer(CHUNKS, 50, 30, requestId)], repeat: true });
  await chat.start({ content: 'long', requestId });
  const pids = await stack.pidsOf(role);
  let ending: Promise<number[]> | undefined;
  const frames = await chat.follow(requestId, ({ data }) => {
    if (ending || !String(data['content']).startsWith('#30@')) return;
    for (const pid of pids) process.kill(pid, 'SIGTERM');
    ending = Promise.all(pids.map(endingOf));
    void (goesOn === 'at once' ? Promise.resolve() : ending).then(() => fake.release(requestId));
  });
  expect(ending).toBeDefined();
  expect(violations(frames)).toEqual([]);
  expect(readTimedText(recordedText(frames)).map(({ n }) => n)).toEqual(ALL);
  const endedMs = Math.max(...((await ending) ?? []));
  return { endedMs, resets: frames.filter(({ data }) => data['type'] === 'reset').length };
};

describe('without a grace', () => {
  // While two workers are told to end, one could still take the call of the other, and withdraw its text once more.
  onStack({ ORION_WORKERS: '1' });

  it('a gateway sends its readers to another one, and the model call goes on', async () => {
    const { resets, endedMs } = await followThrough('gateway-ends', 'gateway', 'at once');
    expect([resets, fake.requests.length]).toEqual([0, 1]);
    // Until the old gateway has ended, no other process takes its port, and its readers reconnect within 1.25 s.
    expect(endedMs).toBeLessThan(PROMPT_MS);
  });

  it('a worker hands its call over at once: the text is withdrawn and said again', async () => {
    const { resets } = await followThrough('worker-ends', 'worker', 'after their end');
    expect([resets, fake.requests.length]).toEqual([1, 2]);
  });
});

describe('with a grace', () => {
  onStack({ WORKER_SHUTDOWN_GRACE_MS: '20000' });

  it('a worker lets its call come to the end', async () => {
    const { resets } = await followThrough('worker-finishes', 'worker', 'at once');
    expect([resets, fake.requests.length]).toEqual([0, 1]);
  });

  it('the stack waits for a worker that lets its call come to the end', async () => {
    const requestId = 'stack-ends';
    // What follows the first 30 chunks takes 10 s, more than any other process gets for its end.
    fake.rules({ responses: [heldAnswer(CHUNKS, 12, 30, requestId)], repeat: true });
    const before = fake.requests.length;
    await chat.start({ content: 'long', requestId });
    const recorder = await chat.events(requestId);
    await recorder.next(({ data }) => String(data['content']).startsWith('#30@'));
    const restarted = stack.restart();
    fake.release(requestId);
    await restarted;
    const frames = await chat.follow(requestId);
    expect(readTimedText(recordedText(frames)).map(({ n }) => n)).toEqual(ALL);
    expect(fake.requests.length - before).toBe(1);
  });
});
