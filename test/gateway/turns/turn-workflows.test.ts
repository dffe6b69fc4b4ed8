/** Covers the cancel of a turn whose workflow cannot be found: it was not started yet, or it has ended. */
import { expect, it } from '@jest/globals';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { createTurnCanceller } from '../../../src/gateway/turns/turn-workflows.ts';
import { partOf } from '../../support/part-of.ts';
import { turnInput } from '../../support/turn-fixtures.ts';
import { withoutDeadline } from '../../support/without-deadline.ts';

const input = turnInput('t', { searchAttributes: false });

/** Cancels a turn whose row has this status; its workflow can be found once it was started. */
const cancelling = async (status: TurnRow['status']): Promise<readonly string[]> => {
  const calls: string[] = [];
  const client = partOf<Client>({
    withDeadline: withoutDeadline,
    workflow: {
      start: () => {
        calls.push('start');
        return Promise.resolve({ firstExecutionRunId: 'r' });
      },
      getHandle: () => ({
        signal: () => {
          const isStarted = calls.includes('start');
          calls.push(isStarted ? 'signal' : 'not found');
          return isStarted
            ? Promise.resolve()
            : Promise.reject(new WorkflowNotFoundError('none', 'turn/t', undefined));
        },
      }),
    },
  });
  const turns = partOf<TurnRepository>({
    recordCanceller: () => Promise.resolve(),
    find: () => Promise.resolve(partOf<TurnRow>({ turnId: 't', status, runId: null, input })),
  });
  await createTurnCanceller({ client, turns, taskQueue: 'q' }).cancel('t', 'local');
  return calls;
};

it('a turn that was stored while Temporal was away is started, so that its cancel is not lost', async () => {
  expect(await cancelling('running')).toEqual(['not found', 'start', 'signal']);
});

it('a turn that has ended is not started again', async () => {
  expect(await cancelling('completed')).toEqual(['not found']);
});
