/**
 * Covers the workflow of a message: it is started once, left to itself while it runs, and given up when it has failed.
 */
import { expect, it } from '@jest/globals';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { OutboxRepository } from '../../src/db/outbox/outbox-repository.ts';
import { startNotification } from '../../src/notifications/start-notifications.ts';
import { partOf } from '../support/part-of.ts';
import { withoutDeadline } from '../support/without-deadline.ts';

const start = async (failure?: Error, isFirstEnd = true) => {
  const calls: string[] = [];
  const client = partOf<Client>({
    withDeadline: withoutDeadline,
    workflow: { start: () => (failure ? Promise.reject(failure) : Promise.resolve({})) },
  });
  const outbox = partOf<OutboxRepository>({
    markStarted: (id: string) => Promise.resolve(void calls.push(`leave ${id}`)),
    end: (id: string, state: string) => Promise.resolve(calls.push(`${state} ${id}`) > 0 && isFirstEnd),
  });
  const countGivenUp = (): void => void calls.push('counted');
  const outcome = await startNotification({ client, taskQueue: 'q', outbox, countGivenUp }, 't/ended');
  return { outcome, calls };
};

const closed = (): Error => new WorkflowExecutionAlreadyStartedError('closed', 'notify/x', 'notifyWorkflow');

it('a message whose workflow runs is left to that workflow', async () => {
  expect(await start()).toEqual({ outcome: 'running', calls: ['leave t/ended'] });
});

it('a message whose workflow has ended without success is given up, and counted once', async () => {
  expect(await start(closed())).toEqual({ outcome: 'closed_here', calls: ['given_up t/ended', 'counted'] });
  expect(await start(closed(), false)).toEqual({ outcome: 'closed_here', calls: ['given_up t/ended'] });
});

it('the start tells its caller when Temporal is away', async () => {
  await expect(start(new Error('away'))).rejects.toThrow('away');
});
