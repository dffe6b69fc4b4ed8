/** Covers a turn that asks its user something, on a real server; every task is replayed from the first event. */
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { replySignal } from '../../../src/temporal/turn-messages.ts';
import { refusalOf, useAskingTurns } from '../support/asking-turn.ts';
import { scriptedCall } from '../support/scripted-activities.ts';
import { asksAtLimits, questionCall } from '../support/scripted-inputs.ts';
const startAskingTurn = useAskingTurns();

const start = () =>
  startAskingTurn([{ calls: [questionCall('Which colour?')] }, { texts: ['Blue it is.'] }], {
    inputs: asksAtLimits({ accepts: ['question'] }),
  });

describe('a turn that asks a question', () => {
  it('waits for the answer, and has it stored as the result of the call', async () => {
    const turn = await start();
    expect(await turn.nextRequest()).toMatchObject({ message: 'Which colour?', default: 'deny' });
    expect(turn.scripted.toolCalls).toEqual([]);
    expect(await refusalOf(turn.reply({ reply: 'answer' }))).toBe('validation_failed');
    expect(await refusalOf(turn.reply({ reply: 'allow' }))).toBe('validation_failed');
    await turn.reply({ reply: 'answer', content: 'Blue.' });
    const events = await turn.ended();
    expect(turn.scripted.toolCalls).toMatchObject([
      {
        ownTools: { question: true },
        approval: { inputId: turn.inputId(1), once: true },
        answer: { ok: true, content: 'Blue.' },
        resolutions: [{ reply: 'answer' }],
      },
    ]);
    expect(JSON.stringify(turn.scripted.toolCalls[0]?.resolutions)).not.toContain('Blue.');
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
    expect(turn.scripted.closes[0]).toMatchObject({ cycle: 1, terminal: { reason: 'answered' } });
  });

  it('takes a long answer by its hash, and the whole answer as the same one', async () => {
    const turn = await start();
    await turn.nextRequest();
    const contentSha256 = createHash('sha256').update('long').digest('hex');
    const first = await turn.reply({ reply: 'answer', contentSha256 });
    await turn.ended();
    expect(turn.scripted.toolCalls).toMatchObject([{ answer: { ok: true, contentSha256 } }]);
    expect(first).not.toHaveProperty('content');
  });

  it('refuses an answer that is too long for its history', async () => {
    const turn = await start();
    await turn.nextRequest();
    const tooLong = turn.reply({ reply: 'answer', content: 'x'.repeat(32 * 1024 + 1) });
    expect(await refusalOf(tooLong)).toBe('validation_failed');
    await turn.handle.signal(replySignal, { inputId: turn.inputId(1), reply: 'answer', content: 'Red.' });
    await turn.ended();
    expect(turn.scripted.toolCalls).toMatchObject([{ answer: { ok: true, content: 'Red.' } }]);
  });
});

describe("a turn that calls a client's tool", () => {
  const calls = () =>
    startAskingTurn([{ calls: [scriptedCall('app_click', { n: 1 })] }, { texts: ['Clicked.'] }], {
      inputs: asksAtLimits({ accepts: ['client_tool'] }),
    });

  it.each([true, false])('waits for its client, whatever came of the call: %s', async (ok) => {
    const turn = await calls();
    expect(await turn.nextRequest()).toMatchObject({ message: 'Run app_click and give its result.' });
    expect(await refusalOf(turn.reply({ reply: 'result', content: 'x' }))).toBe('validation_failed');
    expect(await refusalOf(turn.reply({ reply: 'answer', content: 'x' }))).toBe('validation_failed');
    const result = { reply: 'result', ok, content: 'x' } as const;
    const first = await turn.reply(result);
    await turn.ended();
    expect(first).toMatchObject({ reply: 'result' });
    expect(turn.prepared).toMatchObject([{ kind: 'client_tool', ownTools: { client: true } }]);
    expect(turn.scripted.toolCalls).toMatchObject([
      { ownTools: { client: true }, answer: { ok, content: 'x' }, approval: { once: true } },
    ]);
  });
});
