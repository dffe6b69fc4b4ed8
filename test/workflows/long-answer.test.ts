/** Measures what a long answer costs the workflow's thread, on a real server. */
import { afterEach, expect, it } from '@jest/globals';
import { ScriptedActivities } from './support/scripted-activities.ts';
import { newTurnInput, TurnWorker } from '../support/turn-worker.ts';

let worker: TurnWorker | undefined;
afterEach(() => worker?.stop());

/**
 * The SDK takes a stack trace for every promise of the sandbox (about 0.1 ms), and a workflow task that takes longer
 * than its timeout of 2 s is retried for ever: the work for each chunk may not involve promises.
 */
it('a turn of 20,000 chunks is closed without a workflow task that takes too long', async () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `w${i} `);
  const activities = new ScriptedActivities([{ texts }]);
  worker = await TurnWorker.start(activities);
  const handle = await worker.startTurn(newTurnInput());
  await expect(handle.result()).resolves.toEqual({ status: 'completed', reason: 'answered' });
  const { events } = await handle.fetchHistory();
  expect(events?.filter((event) => event.workflowTaskTimedOutEventAttributes)).toEqual([]);
  expect(events?.filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
});
