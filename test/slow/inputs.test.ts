/** Checks the bounds of what a turn takes from outside (docs/inputs.md) on a real server; each history is replayed. */
import { expect, it, jest } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { setTimeout as delay } from 'node:timers/promises';
import { budgetsSchema } from '../../src/contracts/turn/budgets.ts';
import { steerUpdate } from '../../src/temporal/turn-messages.ts';
import { eventually } from '../support/eventually.ts';
import { logLine } from '../support/test-log.ts';
import { workflowBundle } from '../support/turn-worker.ts';
import { refusalOf, useAskingTurns } from '../workflows/support/asking-turn.ts';
import { ARGS_HASH, asksBeforeWrites, writeCall } from '../workflows/support/scripted-inputs.ts';

jest.setTimeout(300_000);

// The worker keeps its workflows: replaying every task of fifty requests takes minutes, and shows nothing that one
// replay does not show.
const startAskingTurn = useAskingTurns(10);

const WEEK_MS = 7 * 24 * 60 * 60_000;
const WATCHED_MS = 5_000;
const allow = { reply: 'allow', argsHash: ARGS_HASH } as const;

const eventsOf = async (handle: WorkflowHandle) => (await handle.fetchHistory()).events ?? [];

/** Replays a history; rejects when the workflow code does not follow it. */
const replay = async (handle: WorkflowHandle): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle: { codePath: workflowBundle() } }, await handle.fetchHistory());

/** Counts the events of a history that Temporal bills as actions. */
const actionsOf = async (handle: WorkflowHandle): Promise<number> => {
  const billed = (await eventsOf(handle)).filter(
    (event) =>
      event.workflowExecutionStartedEventAttributes ??
      event.activityTaskScheduledEventAttributes ??
      event.timerStartedEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes ??
      event.workflowExecutionUpdateAcceptedEventAttributes ??
      event.workflowExecutionSignaledEventAttributes,
  );
  return billed.length;
};

it('a week of waiting is one timer, and costs 8 actions at most', async () => {
  const answers = [{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }];
  const plain = await startAskingTurn(answers, {});
  await plain.ended();
  const turn = await startAskingTurn(answers, { inputs: asksBeforeWrites({ expiryMs: WEEK_MS }) });
  await turn.nextRequest();
  const timers = async () =>
    (await eventsOf(turn.handle)).flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
  await eventually('the timer of the request', async () => (await timers()).length > 0);
  const before = (await eventsOf(turn.handle)).length;
  await delay(WATCHED_MS);
  expect((await eventsOf(turn.handle)).length).toBe(before);
  const [timer, ...others] = await timers();
  expect(others).toEqual([]);
  const waitsMs = Number(timer?.startToFireTimeout?.seconds ?? 0) * 1_000;
  expect(waitsMs).toBeGreaterThan(WEEK_MS - 60_000);
  expect(waitsMs).toBeLessThanOrEqual(WEEK_MS);
  await turn.reply(allow);
  await turn.ended();
  expect(turn.scripted.toolCalls).toHaveLength(1);
  // A turn that shows its status in search attributes writes twice more: that it waits, and that it goes on.
  const more = 2 + (await actionsOf(turn.handle)) - (await actionsOf(plain.handle));
  logLine(`a week of waiting: ${more} actions more than without, one timer of ${waitsMs} ms`);
  expect(more).toBeLessThanOrEqual(8);
  await replay(turn.handle);
});

it('a turn asks fifty times, and takes the default from then on', async () => {
  const calls = Array.from({ length: 51 }, (_, n) => ({ calls: [writeCall(`${n}.md`)] }));
  const turn = await startAskingTurn([...calls, { texts: ['Done.'] }], {
    inputs: asksBeforeWrites(),
    budgets: budgetsSchema.parse({ maxPhaseCycles: 50 }),
  });
  for (let n = 1; n <= 50; n += 1) {
    await turn.nextRequest();
    await turn.reply(n === 1 ? { reply: 'deny' } : allow, n);
  }
  const events = await turn.ended();
  const resolved = events.flatMap((event) => (event.type === 'input_resolved' ? [event] : []));
  expect(resolved).toHaveLength(51);
  expect(resolved.at(-1)).toMatchObject({ reply: 'deny', by: { kind: 'limit' } });
  expect(turn.scripted.toolCalls).toHaveLength(49);
  expect(turn.announced).toHaveLength(50);
  await replay(turn.handle);
});

it('a turn takes fifty messages, in their order, and refuses the next', async () => {
  const turn = await startAskingTurn([{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }], {
    inputs: asksBeforeWrites(),
  });
  await turn.nextRequest();
  const say = (n: number) =>
    turn.handle.executeUpdate(steerUpdate, {
      args: [{ messageId: `m${n}`, content: `say ${n} `.padEnd(2_600, 'x'), when: 'boundary' }],
    });
  const ids = Array.from({ length: 50 }, (_, i) => i + 1);
  for (const n of ids) await say(n);
  expect(await refusalOf(say(51))).toBe('too_many_messages');
  await expect(say(50)).resolves.toEqual({ messageId: 'm50', interrupts: null });
  await turn.reply(allow);
  const events = await turn.ended();
  expect(events.flatMap((event) => (event.type === 'steer' ? [event.messageId] : []))).toEqual(
    ids.map((n) => `m${n}`),
  );
  const [, second] = turn.scripted.modelCalls;
  expect(second?.messages.filter(({ role }) => role === 'user')).toHaveLength(50);
  await replay(turn.handle);
});
