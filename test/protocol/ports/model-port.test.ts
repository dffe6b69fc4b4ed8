/** Covers a model whose stream is read and shown elsewhere, which is the workflow's form of the port. */
import { describe, expect, it } from '@jest/globals';
import { ModelCallError } from '../../../src/protocol/ports/model-port.ts';
import { createProtocol } from '../../../src/protocol/protocols/protocol-registry.ts';
import { collect, fakeTurn, terminalOf, toolCall } from '../../support/fake-ports.ts';
import { type AnswerParts, ScriptedAnswers } from '../support/scripted-answers.ts';

describe.each(['two_stage', 'standard'] as const)('%s, over the model port', (protocol) => {
  const run = async (...answers: readonly AnswerParts[]) => {
    const adapter = new ScriptedAnswers(...answers);
    const turn = fakeTurn({ adapter });
    const events = await collect(createProtocol(protocol, turn.context).executeStreaming(turn.context));
    return { ...turn, adapter, events, end: terminalOf(events) };
  };
  const look = { text: 'Look.', calls: [toolCall('Files_read')] };

  it('makes no event of an answer, but counts its text and usage', async () => {
    const { events, end } = await run(look, { text: '\n\nDone.' });
    const words = events.filter((event) => event.type === 'chunk' && event.notice !== 'tool_result');
    expect(words).toEqual([]);
    expect(events.some(({ type }) => type === 'tool_calls')).toBe(false);
    expect(end).toMatchObject({
      fullContent: 'Look.\n\nDone.',
      reason: 'answered',
      usage: { promptTokens: 2, completionTokens: 4 },
    });
  });

  it('runs its calls, and separates the next text from the text before', async () => {
    const { adapter, tools } = await run(look, { text: '\n\nDone.' });
    expect(tools.executed).toHaveLength(1);
    expect(adapter.asked.map(({ options }) => options.lead)).toEqual(['', '\n\n']);
    expect(adapter.asked[1]?.messages[1]).toMatchObject({ role: 'assistant', content: 'Look.' });
    expect(adapter.asked[0]?.options).not.toHaveProperty('context');
  });

  it('ends with the error that a call failed with', async () => {
    const error = new ModelCallError('model_auth', 'wrong key');
    const { end, adapter } = await run({ text: 'Half', error });
    expect(end).toEqual({ type: 'error', code: 'model_auth', message: 'wrong key' });
    expect(adapter.asked).toHaveLength(1);
  });

  it.each([
    ['tokens', 1, 'tokens'],
    ['repetition', 1, 'repetition'],
    ['time', 2, 'time'],
    ['cancelled', 1, 'cancelled'],
  ] as const)('takes its word that a call was cut: %s', async (end, calls, reason) => {
    const cut = await run({ text: 'So', end, calls: [toolCall('Files_read')] }, { text: ' far' });
    expect(cut.end).toMatchObject({ reason, fullContent: calls === 2 ? 'So far' : 'So' });
    expect(cut.adapter.asked).toHaveLength(calls);
    expect(cut.tools.executed).toEqual([]);
  });
});
