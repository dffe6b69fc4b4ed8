/** Covers two processes that find the same worker lost at once: its activities are tried again once. */
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { createRunExclusive } from '../../src/base/timing/run-exclusive.ts';
import { recoverInPasses, type RecoveryPasses } from '../../src/temporal/recovery-passes.ts';
import { partOf } from '../support/part-of.ts';
import { withoutDeadline } from '../support/without-deadline.ts';

/**
 * Returns the part of a server that is called, where a failed activity goes to a living worker at once. For the first
 * `looksBefore` looks the activity is only scheduled, and not yet given to the lost worker.
 */
const serverWithLostActivity = (looksBefore = 0) => {
  const failed: string[] = [];
  let lastWorkerIdentity = 'lost';
  let looks = 0;
  const execution = { workflowId: 'turn/1', runId: 'run' };
  const client = {
    options: { namespace: 'default' },
    withDeadline: withoutDeadline,
    workflowService: {
      listWorkflowExecutions: () => Promise.resolve({ executions: [{ execution }] }),
      getWorkflowExecutionHistoryReverse: () => Promise.resolve({ history: { events: [] } }),
      describeWorkflowExecution: async () => {
        await nextLoopIteration();
        looks += 1;
        const state = looks > looksBefore ? 2 /* started */ : 1; /* scheduled */
        return { pendingActivities: [{ activityId: 'a', lastWorkerIdentity, state }] };
      },
    },
    activity: {
      fail: async () => {
        await nextLoopIteration();
        failed.push(lastWorkerIdentity);
        lastWorkerIdentity = 'living';
      },
    },
  };
  return { client: partOf<Client>(client), failed };
};

const passesOver = (client: Client) => {
  const found: number[] = [];
  const problems: unknown[] = [];
  const passes: RecoveryPasses = {
    client,
    runExclusive: createRunExclusive(),
    workers: { taskQueue: 'q', findLost: () => new Set(['lost']) },
    closed: new AbortController().signal,
    onRecovered: (activities) => found.push(activities),
    onFailed: (error) => problems.push(error),
  };
  return { passes, found, problems };
};

it('looks of one process do not overlap, so that no attempt of a living worker is failed', async () => {
  const { client, failed } = serverWithLostActivity();
  const { passes, found, problems } = passesOver(client);
  await Promise.all([recoverInPasses(passes), recoverInPasses(passes)]);
  expect({ failed, found, problems }).toEqual({ failed: ['lost'], found: [1], problems: [] });
});

it('an activity that the lost worker was given after the first look is recovered by the second', async () => {
  const { client, failed } = serverWithLostActivity(1);
  const { passes, found, problems } = passesOver(client);
  await recoverInPasses(passes);
  expect({ failed, found, problems }).toEqual({ failed: ['lost'], found: [1], problems: [] });
});

it('the watch goes on after a look that failed', async () => {
  const inTurn = createRunExclusive();
  const results = await Promise.allSettled([
    inTurn(() => Promise.reject(new Error('away'))),
    inTurn(() => Promise.resolve('there')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
