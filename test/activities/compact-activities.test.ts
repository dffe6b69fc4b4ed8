import { expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createCompactActivities } from '../../activities/compact-activities.ts';
import type { SummaryWork } from '../../src/db/conversations/summary-repository.ts';

const unexpected = (): never => {
  throw new Error('the step needs no model call');
};

/** Takes one step of a summary. Resolves to what the worker logs about it. */
const loggedFor = async (kind: Exclude<SummaryWork['kind'], 'open'>): Promise<readonly string[]> => {
  const messages: string[] = [];
  const { summarise } = createCompactActivities({
    summaries: {
      loadWork: () => Promise.resolve({ kind }),
      store: unexpected,
      claimReserved: unexpected,
      reserve: unexpected,
      settleLost: unexpected,
    },
    summaryLimits: unexpected,
    model: { stream: unexpected },
    prices: new Map(),
    spend: { settle: unexpected },
    pingTemporal: () => Promise.resolve(),
    countTokens: unexpected,
    countCost: unexpected,
    countCompaction: () => undefined,
  });
  const logger = new DefaultLogger('INFO', ({ message }) => void messages.push(message));
  const environment = new MockActivityEnvironment({}, { logger });
  await environment.run(summarise, { turnId: 'a', leafTurnId: 'b' });
  return messages;
};

it('the log says that turns were summarised only if they were', async () => {
  expect(await loggedFor('ready')).toEqual(['earlier turns summarised']);
  expect(await loggedFor('gone')).toEqual(['earlier turns not summarised']);
});
