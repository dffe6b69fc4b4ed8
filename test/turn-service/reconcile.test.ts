/** Covers how rows and workflows are brought together, and how long a workflow task may take. */
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { budgetsSchema } from '../../src/contracts/turn/budgets.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import type { TurnRepository } from '../../src/db/turns/turn-repository.ts';
import type { StoredTerminal, TurnRow } from '../../src/db/turns/turn-row.ts';
import { reconcilePolledTurn } from '../../src/turn-service/reconcile.ts';
import { workflowTaskTimeoutMs } from '../../src/turn-service/turn-start-options.ts';
import { partOf } from '../support/part-of.ts';
import { turnInput } from '../support/turn-fixtures.ts';
import { withoutPatience } from './support/without-patience.ts';

const timeout = (fields: Partial<TurnInput> = {}): number => workflowTaskTimeoutMs(turnInput('t', fields));
const budgets = (fields: object) => ({ budgets: budgetsSchema.parse(fields) });

describe('the task timeout of a turn', () => {
  it('has room for all that messages may grant it, however little it begins with', () => {
    // The time is four times that of 50 cycles of 20 ms and of ten minutes of batches of 3 ms.
    expect(timeout()).toBe(5_800);
    expect(timeout(budgets({ maxPhaseCycles: 50 }))).toBe(timeout());
    expect(timeout({ maxPhaseCyclesLimit: 25 })).toBe(3_800);
    expect(timeout({ maxPhaseCyclesLimit: 0, ...budgets({ maxTurnMs: 1 }) })).toBe(2_000);
    expect(timeout({ protocol: 'standard' })).toBe(11_800);
  });

  it('has room for the words of an hour where a turn may work so long', () => {
    expect(timeout(budgets({ maxTurnMs: 3_600_000 }))).toBe(14_800);
    const approvals = { rules: [], setting: 'never' } as const;
    expect(timeout({ inputs: { approvals, expiryMs: 1, accepts: ['limit'] } })).toBe(14_800);
  });
});

/** The answer to the termination of a run: it is terminated, or gone, or Temporal does not answer. */
type Terminated = 'terminated' | 'gone' | 'unanswered';
const terminated = (answer: Terminated, run: string): Promise<void> => {
  if (answer === 'unanswered') return new Promise(() => undefined);
  return answer === 'terminated'
    ? Promise.resolve()
    : Promise.reject(new WorkflowNotFoundError('gone', 'turn/t', run));
};

/**
 * Looks after a turn that waits, whose workflow has `runId` as its newest run; its own run, `r1`, is over. Resolves to
 * the outcome, or to the error's message, and to what was done meanwhile.
 */
const lookAfter = async (runId: string, answer: Terminated = 'terminated', isClosedHere = true) => {
  const did: string[] = [];
  const handleOf = (_id: string, run: string) => ({
    describe: () => Promise.resolve({ status: { name: 'TERMINATED' } }),
    query: () => Promise.resolve({ batches: [], more: false }),
    terminate: () => {
      did.push(`terminate ${run}`);
      return terminated(answer, run);
    },
  });
  const client = partOf<Client>({
    options: { namespace: 'default' },
    withDeadline: withoutPatience,
    workflow: { getHandle: handleOf, start: () => Promise.resolve({ firstExecutionRunId: runId }) },
  });
  const turns = partOf<TurnRepository>({
    close: () => {
      did.push('close');
      return Promise.resolve({ isClosedHere, terminal: partOf<StoredTerminal>({}) });
    },
  });
  const waitingFor = { inputId: 't/1', kind: 'approval', expiresAt: '' } as const;
  const row = { turnId: 't', runId: 'r1', waitingFor, input: turnInput('t', { searchAttributes: false }) };
  const ended = await reconcilePolledTurn({ client, turns, taskQueue: 'q' }, row as TurnRow).catch(String);
  return [ended, ...did];
};

describe('a turn whose run is over', () => {
  it('ends, and so does the run that a reset in the Web UI has begun', async () => {
    expect(await lookAfter('r2')).toEqual(['closed_here', 'terminate r2', 'close']);
    expect(await lookAfter('r2', 'gone')).toEqual(['closed_here', 'terminate r2', 'close']);
  });

  it('is not reported as ended outside when it has closed its row itself meanwhile', async () => {
    expect(await lookAfter('r2', 'terminated', false)).toEqual(['already_closed', 'terminate r2', 'close']);
  });

  it('stays open, to be looked after again, when Temporal does not answer in time', async () => {
    expect(await lookAfter('r2', 'unanswered')).toEqual(['Error: deadline exceeded', 'terminate r2']);
  });

  it('goes on when the run was its own after all', async () => {
    expect(await lookAfter('r1')).toEqual(['running']);
  });
});
