/** Covers the budgets that are shown of a turn, grants included. */
import { expect, it } from '@jest/globals';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { TurnState } from '../../../workflows/turn/turn-state.ts';
import { turnInput } from '../../support/turn-fixtures.ts';

const by = { kind: 'local' } as const;
const at = '2026-01-05T09:00:00.000Z';
const ran: TurnEvent = {
  type: 'tool_result',
  callId: 'c',
  name: 'read_file',
  ok: true,
  durationMs: 1,
  bytes: 1,
};
const steer: TurnEvent = { type: 'steer', messageId: 'm', content: 'go on', by, at, interrupted: false };
const resolved = (reply: 'keep_going' | 'answer_now'): TurnEvent => ({
  type: 'input_resolved',
  inputId: 't/1',
  reply,
  by,
  at,
});

const spent = (state: TurnState) => [state.cycle, state.budgets.maxPhaseCycles, state.budgets.maxTurnMs];

it('a message lets as many tools run again, and a reply at a limit as much time, too', () => {
  const budgets = budgetsSchema.parse({ maxPhaseCycles: 2, maxTurnMs: 1_000 });
  const state = new TurnState(turnInput('t', { budgets, maxPhaseCyclesLimit: 5 }));
  for (const event of [ran, ran]) state.observe(event);
  expect(spent(state)).toEqual([2, 2, 1_000]);
  expect(state.observe(steer)).toBe(true);
  expect(spent(state)).toEqual([2, 4, 1_000]);
  state.observe(ran);
  expect(state.observe(resolved('answer_now'))).toBe(false);
  expect(state.observe(resolved('keep_going'))).toBe(true);
  expect(spent(state)).toEqual([3, 5, 2_000]);
});
