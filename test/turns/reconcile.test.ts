/** How long a workflow task of a turn may take, which is what a replay of the whole turn has. */
import { describe, expect, it } from '@jest/globals';
import { budgetsSchema } from '../../src/contracts/budgets.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { workflowTaskTimeoutMs } from '../../src/turns/reconcile.ts';
import { turnInput } from '../support/turn-fixtures.ts';

const timeout = (fields: Partial<TurnInput> = {}): number => workflowTaskTimeoutMs(turnInput('t', fields));
const budgets = (fields: object) => ({ budgets: budgetsSchema.parse(fields) });

describe('the task timeout of a turn', () => {
  it('has room for all that messages may grant it, however little it begins with', () => {
    // 50 cycles of 20 ms and ten minutes of batches of 3 ms, four times.
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
