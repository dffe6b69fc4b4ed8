/** A request is announced: whoever reads its event may ask for its row at once. */
import { expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createInputActivities } from '../../activities/inputs/input-activities.ts';
import type { AnnounceInputInput } from '../../src/contracts/payload/input-activity-payloads.ts';
import type { InputRepository } from '../../src/db/input-repository.ts';
import { silentPublisher } from '../../src/live/lane.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { RUN_ID } from './support/activity-inputs.ts';

const input: AnnounceInputInput = {
  turnId: 't',
  conversationId: 'main',
  projectId: 'p',
  firstExecutionRunId: RUN_ID,
  liveLane: 'http://127.0.0.1:1',
  prelude: [{ epoch: 1, seq: 1, events: [] }],
  n: 1,
  message: 'May it?',
  default: 'deny',
  expiresAt: '2026-01-06T09:00:00.000Z',
};

it.each([
  ['works', undefined],
  ['fails', new Error('the query failed')],
])('its event follows its row, which %s', async (_how, error) => {
  const order: string[] = [];
  const inputs: InputRepository = {
    prepare: () => Promise.reject(new Error('not asked')),
    open: async () => {
      await Promise.resolve();
      order.push('row');
      if (error) throw error;
      return 'open';
    },
    close: () => Promise.resolve(),
    find: () => Promise.resolve(undefined),
    list: () => Promise.resolve({ rows: [], more: false }),
  };
  const lane = {
    open: () => ({ ...silentPublisher, publish: () => void order.push('event') }),
    close: () => undefined,
  };
  const { announceInput } = createInputActivities({
    registry: createToolRegistry([]),
    inputs,
    turns: { find: () => Promise.resolve(undefined) },
    lane,
    previewCommit: () => Promise.reject(new Error('not asked')),
    startNotifications: () => Promise.resolve(),
    writeSessions: { hold: () => Promise.reject(new Error('not asked')) },
  });
  const announced = new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'turn/t', runId: RUN_ID } },
    { logger: new DefaultLogger('ERROR') },
  ).run(announceInput, input);
  expect(await announced.catch((reason: unknown) => reason)).toBe(error ?? 'open');
  expect(order).toEqual(['row', 'event']);
});
