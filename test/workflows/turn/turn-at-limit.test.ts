/**
 * Covers a turn that asks at its limit whether it may go on, on a real server; every task is replayed from the first
 * event.
 */
import { describe, expect, it } from '@jest/globals';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import { refusalOf, useAskingTurns } from '../support/asking-turn.ts';
import { asksAtLimits, writeCall } from '../support/scripted-inputs.ts';
const startAskingTurn = useAskingTurns();

const budgets = budgetsSchema.parse({ maxPhaseCycles: 1 });
const answers = [
  { calls: [writeCall('a.md')] },
  { calls: [writeCall('b.md', 'c2')] },
  { texts: ['Answer.'] },
];
const start = (more: Parameters<typeof asksAtLimits>[0] = {}) =>
  startAskingTurn(answers, { budgets, inputs: asksAtLimits(more) });

describe('a turn at its limit', () => {
  it('waits for a reply that lets it go on, and stores only that', async () => {
    const turn = await start();
    const request = await turn.nextRequest();
    expect(request).toMatchObject({
      message: '1 tool has run, as many as this turn may. Shall it go on?',
      default: 'answer_now',
    });
    expect(turn.prepared).toMatchObject([{ kind: 'limit', options: ['keep_going', 'answer_now'] }]);
    expect(turn.prepared[0]).not.toHaveProperty('call');
    expect(await refusalOf(turn.reply({ reply: 'allow' }))).toBe('validation_failed');
    await turn.reply({ reply: 'keep_going' });
    await turn.nextRequest();
    await turn.reply({ reply: 'answer_now' }, 2);
    const events = await turn.ended();
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(2);
    expect(turn.scripted.closes[0]).toMatchObject({ cycle: 2, terminal: { reason: 'cycles' } });
    expect(turn.scripted.closes[0]?.resolutions).toBeUndefined();
  });

  it('answers when nobody replies in time', async () => {
    const turn = await start({ expiryMs: 4_000 });
    const resolved = (await turn.ended()).find(({ type }) => type === 'input_resolved');
    expect(resolved).toMatchObject({ reply: 'answer_now', by: { kind: 'expiry' } });
    expect(turn.scripted.closes[0]).toMatchObject({ cycle: 1, terminal: { reason: 'cycles' } });
  });

  it('asks at most for ten minutes, however long other requests may wait', async () => {
    const turn = await start({ expiryMs: 86_400_000 });
    const { expiresAt } = await turn.nextRequest();
    const left = Date.parse(expiresAt) - Date.now();
    expect(left).toBeGreaterThan(9 * 60_000);
    expect(left).toBeLessThanOrEqual(10 * 60_000);
    await turn.reply({ reply: 'answer_now' });
    await turn.ended();
  });
});
