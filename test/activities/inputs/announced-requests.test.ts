/** An input request is stored before it is announced: a reader of its event may ask for its row at once. */
import { expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import {
  createInputActivities,
  type InputActivityDeps,
} from '../../../activities/inputs/input-activities.ts';
import type {
  AnnounceInputRequestInput,
  PrepareInputRequestInput,
} from '../../../src/contracts/payload/input-activity-payloads.ts';
import type { InputRepository } from '../../../src/db/inputs/input-repository.ts';
import { noopPublisher, type LaneTransport } from '../../../src/live/lane.ts';
import { partOf } from '../../support/part-of.ts';
import { RUN_ID } from '../support/activity-inputs.ts';

const input: AnnounceInputRequestInput = {
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

const activityOfTurn = () =>
  new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'turn/t', runId: RUN_ID } },
    { logger: new DefaultLogger('ERROR') },
  );

interface UsedDeps {
  readonly inputs: Partial<InputRepository>;
  readonly lane?: Partial<LaneTransport>;
  readonly previewCommit?: InputActivityDeps['previewCommit'];
}

/** Creates the activities with only those dependencies that a test names; the use of any other one fails the test. */
const activitiesWith = (deps: UsedDeps) => createInputActivities(partOf<InputActivityDeps>(deps));

it.each([
  ['works', undefined],
  ['fails', new Error('the query failed')],
])('its event follows its row, which %s', async (_how, error) => {
  const order: string[] = [];
  const { announceInput } = activitiesWith({
    inputs: {
      open: async () => {
        await Promise.resolve();
        order.push('row');
        if (error) throw error;
        return 'open';
      },
    },
    lane: { open: () => ({ ...noopPublisher, publish: () => void order.push('event') }) },
  });
  const announced = activityOfTurn().run(announceInput, input);
  expect(await announced.catch((reason: unknown) => reason)).toBe(error ?? 'open');
  expect(order).toEqual(['row', 'event']);
});

it('the announcement shows readers of Temporal the first lines of the diff, and no secret', async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `+line ${i + 1}`);
  const diff = ['--- a.md', '+++ a.md', '@@ -0,0 +1,31 @@', '+password=hunter2', ...lines].join('\n');
  const { prepareInput } = activitiesWith({
    inputs: { prepare: ({ request, argsHash }) => Promise.resolve({ request, argsHash, diff }) },
    previewCommit: () =>
      Promise.resolve({ ok: true, target: 'a.md', argsHash: 'a'.repeat(64), diff, before: null }),
  });
  const { message: _message, default: _default, expiresAt: _expiresAt, ...ref } = input;
  const asked: PrepareInputRequestInput = {
    ...ref,
    kind: 'commit',
    mode: 'act',
    call: { id: 'c1', type: 'function', function: { name: 'WritePlanTool_begin', arguments: '{}' } },
    options: ['allow', 'deny'],
    session: { sessionId: 's', content: { sha256: 'a'.repeat(64), bytes: 1, lines: 1 } },
  };
  const prepared = await activityOfTurn().run(prepareInput, asked);
  expect(prepared).toMatchObject({
    kind: 'ready',
    excerpt: [...diff.replace('hunter2', '[redacted]').split('\n').slice(0, 20), '…'].join('\n'),
  });
});
