/** Covers one round of the sweeper over rows and a Temporal that fail in different ways. */
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import type { ReconcileDeps } from '../../src/turn-service/reconcile.ts';
import { sweepRows } from '../../worker/sweeper.ts';
import { sweptTurns } from '../../worker/swept-rows.ts';
import { turnInput } from '../support/turn-fixtures.ts';
import { partOf } from '../support/part-of.ts';
import { withoutDeadline } from '../support/without-deadline.ts';

/**
 * Sweeps the rows a, b and c; `start` returns the error with which Temporal refuses a start. Resolves to the turns that
 * it was asked to start.
 */
const startedBySweep = async (
  start: (turnId: string) => Error | undefined,
  more: Partial<TurnRow> = {},
): Promise<string[]> => {
  const started: string[] = [];
  const rows = ['a', 'b', 'c'].map(
    (turnId) => ({ turnId, input: turnInput(turnId), waitingFor: null, runId: 'run', ...more }) as TurnRow,
  );
  const client = {
    withDeadline: withoutDeadline,
    workflow: {
      start: (_type: string, { workflowId }: { workflowId: string }) => {
        started.push(workflowId);
        const failure = start(workflowId);
        return failure ? Promise.reject(failure) : Promise.resolve({ firstExecutionRunId: 'run' });
      },
      getHandle: (workflowId: string) => ({
        describe: () =>
          Promise.resolve({ status: { name: workflowId === 'turn/b' ? 'TERMINATED' : 'RUNNING' } }),
      }),
    },
  };
  const turns = { claimRunning: () => Promise.resolve(rows) };
  const deps = partOf<ReconcileDeps>({ client, turns, taskQueue: 'q' });
  await sweepRows(sweptTurns(deps), pino({ level: 'silent' }));
  return started;
};

it('the sweeper goes on after a row that fails by itself: it would keep back all others, in every round', async () => {
  const started = await startedBySweep((id) =>
    id === 'turn/a' ? new Error('3 INVALID_ARGUMENT: no such search attribute') : undefined,
  );
  expect(started).toEqual(['turn/a', 'turn/b', 'turn/c']);
});

it('the sweeper ends the round when Temporal is away, instead of waiting for each row', async () => {
  const away = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: {} });
  const started = await startedBySweep(() => away);
  expect(started).toEqual(['turn/a']);
});

it('the sweeper checks turns that wait for a person instead of starting them again; one that is gone is started', async () => {
  const waitingFor = { inputId: 'x/1', kind: 'approval', expiresAt: '2026-01-06T09:00:00.000Z' } as const;
  expect(await startedBySweep(() => undefined, { waitingFor })).toEqual(['turn/b']);
});
