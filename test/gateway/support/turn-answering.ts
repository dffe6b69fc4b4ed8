import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { partOf } from '../../support/part-of.ts';
import { turnInput } from '../../support/turn-fixtures.ts';
import { withoutDeadline } from '../../support/without-deadline.ts';

/** The error of a call to a workflow that does not run. */
export const workflowGone = (): Error => new WorkflowNotFoundError('not found', 'turn/t', undefined);

/** The error of an update that the workflow has refused. */
export const refused = (type: string, ...details: unknown[]): Error =>
  new WorkflowUpdateFailedError(
    'update failed',
    ApplicationFailure.create({ message: `refused: ${type}`, type, nonRetryable: true, details }),
  );

/** An update as it reached the workflow. */
interface SentUpdate {
  readonly args: readonly unknown[];
  readonly updateId?: string;
}

/**
 * Returns the client and the rows of the turn `t`, whose workflow answers each update with the next of `results`, an
 * error by failing. After the last result there is no workflow.
 */
export const turnAnswering = (results: readonly unknown[], status: TurnRow['status'] = 'running') => {
  const left = [...results];
  const sent: SentUpdate[] = [];
  const starts: string[] = [];
  const client = partOf<Client>({
    withDeadline: withoutDeadline,
    workflowService: { getSystemInfo: () => Promise.resolve({}) },
    workflow: {
      getHandle: () => ({
        executeUpdate: (_update: unknown, update: SentUpdate) => {
          sent.push(update);
          const next = left.shift() ?? workflowGone();
          return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
        },
      }),
      start: (type: string) => {
        starts.push(type);
        return Promise.resolve({ firstExecutionRunId: 'r' });
      },
    },
  });
  const input = turnInput('t', { searchAttributes: false });
  const turns = partOf<TurnRepository>({
    find: () => Promise.resolve({ turnId: 't', status, runId: 'r', input }),
  });
  return { client, turns, sent, starts };
};
