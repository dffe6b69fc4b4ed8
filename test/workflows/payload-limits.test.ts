/**
 * Temporal refuses a payload above 2 MiB: the workflow task that carries it fails again and again, and the turn never
 * ends. The tests play the largest turns that the budgets allow, on a real server.
 */
import { afterEach, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import type { TurnActivities } from '../../activities/create-activities.ts';
import type { CallModelInput, ExecuteToolInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { budgetsSchema } from '../../src/contracts/turn/budgets.ts';
import { expandBatch, fullContentOf } from '../../src/protocol/event-log/event-log.ts';
import { appendEventsSignal } from '../../src/temporal/turn-messages.ts';
import { ScriptedActivities, succeeded, scriptedCall } from './support/scripted-activities.ts';
import { newTurnInput, TurnWorker } from '../support/turn-worker.ts';
import { endOf } from '../support/workflow-end.ts';

let worker: TurnWorker | undefined;
afterEach(() => worker?.stop());

/**
 * Replaying each task of such a large turn from its first event would take minutes, so the worker keeps this many
 * workflows.
 */
const CACHED = 10;

/** Returns a result of the largest size that the tool runner lets through, a different one for each call. */
const largeResult = (input: ExecuteToolInput) =>
  Promise.resolve(succeeded(input, `${input.call.id} `.padEnd(31 * 1024, 'z')));

const call = (_: unknown, i: number) => scriptedCall('read_file', { path: `file-${i}` }, `call-${i}`);

it('the workflow ends a turn whose one answer asks for more tool results than an input can carry', async () => {
  const scripted = new ScriptedActivities([{ calls: Array.from({ length: 70 }, call) }]);
  worker = await TurnWorker.start({ ...scripted, executeTool: largeResult }, { maxCachedWorkflows: CACHED });
  const handle = await worker.startTurn(newTurnInput({ protocol: 'standard' }));
  expect(await endOf(handle)).toMatchObject({ status: 'Failed', type: 'model_context_length' });
  expect(scripted.closes).toHaveLength(1);
});

it('the workflow ends a turn of 50 tools that shows the user every result', async () => {
  const answers = Array.from({ length: 50 }, (_, i) => ({ calls: [call(_, i)] }));
  const scripted = new ScriptedActivities([...answers, { texts: ['Done.'] }]);
  worker = await TurnWorker.start({ ...scripted, executeTool: largeResult }, { maxCachedWorkflows: CACHED });
  const budgets = budgetsSchema.parse({ maxPhaseCycles: 50, debugShowToolResults: true });
  const handle = await worker.startTurn(newTurnInput({ budgets }));
  await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  expect(scripted.closes[0]?.cycle).toBe(50);
});

it('the workflow keeps all of a lost answer of 200,000 tokens', async () => {
  const scripted = new ScriptedActivities([]);
  const pages = Array.from({ length: 25 }, () => Array.from({ length: 8_000 }, () => 'four'));
  const signalAll = async (input: CallModelInput, handle: ReturnType<typeof handleOf>): Promise<never> => {
    for (const [i, events] of pages.entries()) {
      const start = i === 0 ? { after: input.after } : {};
      await handle.signal(appendEventsSignal, [
        { epoch: 101, seq: input.fromSeq + i * 8_000, ...start, events },
      ]);
    }
    throw ApplicationFailure.nonRetryable('worker lost');
  };
  const activities: TurnActivities = {
    ...scripted,
    callModel: (input) => signalAll(input, handleOf(input.turnId)),
  };
  worker = await TurnWorker.start(activities);
  const handle = await worker.startTurn(newTurnInput());
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'model_unavailable' } });
  const own = (scripted.closes[0]?.ownEvents ?? []).flatMap(expandBatch);
  expect(fullContentOf(own)).toBe('four'.repeat(200_000));
});

const handleOf = (turnId: string) => {
  if (!worker) throw new Error('the worker has not started');
  return worker.client.workflow.getHandle(`turn/${turnId}`);
};
