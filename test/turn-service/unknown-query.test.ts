/** Checks on a real worker how a query fails that the workflow does not know. */
import { expect, it } from '@jest/globals';
import { QueryNotRegisteredError } from '@temporalio/client';
import { TASK_NOT_ENDED } from '../../src/contracts/payload/early-queries.ts';
import { isQueryUnknown } from '../../src/turn-service/query-events.ts';
import { newTurnInput } from '../support/turn-worker.ts';
import { useTurnWorker } from '../support/use-turn-worker.ts';
import { ScriptedActivities } from '../workflows/support/scripted-activities.ts';

const turnsWith = useTurnWorker();

it('a query that the workflow does not know is told apart from one that fails', async () => {
  const { callModel, closeTurn } = new ScriptedActivities([{ texts: ['Answer.'] }]);
  const turn = await turnsWith({ callModel, closeTurn }).startTurn(newTurnInput());
  await turn.result();
  const failure = await turn.query('noSuchQuery').catch((error: unknown) => error);
  expect(isQueryUnknown(failure)).toBe(true);
  expect(isQueryUnknown(new QueryNotRegisteredError(TASK_NOT_ENDED, 3))).toBe(false);
  expect(isQueryUnknown(new Error('no worker'))).toBe(false);
});
