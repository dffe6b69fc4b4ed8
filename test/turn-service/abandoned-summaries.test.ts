/** Covers what is reserved for a summary, by what has become of its workflow. */
import { expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import {
  type AbandonedSummaryDeps,
  settleAbandonedSummary,
} from '../../src/turn-service/abandoned-summaries.ts';
import { partOf } from '../support/part-of.ts';
import { withoutDeadline } from '../support/without-deadline.ts';

const MINUTE_MS = 60_000;

/** Resolves to the result, and to the turns whose attempts were settled. */
const settledBy = async (describe: () => { closeTime?: Date }) => {
  const settled: string[] = [];
  const asked: string[] = [];
  const deps = partOf<AbandonedSummaryDeps>({
    client: {
      withDeadline: withoutDeadline,
      workflow: {
        getHandle: (id: string) => ({
          describe: async () => {
            asked.push(id);
            return describe();
          },
        }),
      },
    },
    summaries: {
      settleLost: async (leafTurnId: string) => void settled.push(leafTurnId),
    },
  });
  const outcome = await settleAbandonedSummary(deps, { turnId: 'last', leafTurnId: 'leaf' }).catch(String);
  expect(asked).toEqual(['compact/last']);
  return { outcome, settled };
};

it('a summary is not settled while the workflow runs, nor while a worker may not know yet that it has ended', async () => {
  expect(await settledBy(() => ({}))).toEqual({ outcome: 'running', settled: [] });
  expect(await settledBy(() => ({ closeTime: new Date() }))).toEqual({ outcome: 'running', settled: [] });
});

it('a summary is settled once the workflow has ended or is unknown', async () => {
  const ended = { outcome: 'closed_here', settled: ['leaf'] };
  expect(await settledBy(() => ({ closeTime: new Date(Date.now() - MINUTE_MS) }))).toEqual(ended);
  const unknown = (): never => {
    throw new WorkflowNotFoundError('not found', 'compact/last', undefined);
  };
  expect(await settledBy(unknown)).toEqual(ended);
});

it('a summary is not settled while Temporal cannot be reached', async () => {
  const away = (): never => {
    throw new Error('14 UNAVAILABLE');
  };
  expect(await settledBy(away)).toEqual({ outcome: 'Error: 14 UNAVAILABLE', settled: [] });
});
