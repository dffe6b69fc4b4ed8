/** Covers ends of a turn that come from outside the conversation: time, tokens, cancel, errors. */
import { describe, expect, it, jest } from '@jest/globals';
import { ModelCallError } from '../../src/protocol/ports/model-port.ts';
import { TwoStageProtocol } from '../../src/protocol/protocols/two-stage-protocol.ts';
import {
  asks,
  collect,
  ends,
  type FakeTurnParts,
  fakeTurn,
  noticesOf,
  says,
  terminalOf,
  toolCall,
} from '../support/fake-ports.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { AdapterEvent } from '../../src/compat/llm-adapter.ts';

const run = async (settings: FakeTurnParts) => {
  const turn = fakeTurn(settings);
  const events = await collect(new TwoStageProtocol(turn.context).executeStreaming(turn.context));
  return { ...turn, events, end: terminalOf(events) };
};

const cut = (finishReason: 'time' | 'tokens' | 'cost' | 'repetition' | 'cancelled'): AdapterEvent => ({
  type: 'done',
  fullContent: '',
  finishReason,
});

const read = toolCall('Files_read', { path: 'a' });

describe('time', () => {
  it('interrupts an adapter that never ends; the forced answer has 60 s', async () => {
    const clock = new ManualClock(1_000_000);
    const { adapter, end, events } = await run({
      clock,
      config: { maxTurnMs: 1_000 },
      model: function* (n) {
        if (n > 1) yield* [says(' In short: x.'), ends()];
        for (;;) {
          clock.skip(400);
          yield says('.');
        }
      },
    });
    expect(end).toMatchObject({ reason: 'time', fullContent: '... In short: x.', status: 'completed' });
    expect(noticesOf(events)).toEqual(['time_limit']);
    expect(adapter.calls.map(({ options }) => options.deadline)).toEqual([1_001_000, clock.now() + 60_000]);
    expect(adapter.calls[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: '...' },
      {
        role: 'system',
        content: 'Maximum turn time reached. Provide final answer without further tool calls.',
      },
    ]);
  });

  it('that the adapter keeps is believed without a clock', async () => {
    const { end, adapter, tools } = await run({
      model: (n) => (n === 1 ? [says('a'), asks(read), cut('time')] : [says('b'), ends()]),
    });
    expect(end).toMatchObject({ reason: 'time', fullContent: 'ab' });
    expect(adapter.calls).toHaveLength(2);
    expect(tools.executed).toEqual([]);
  });

  it('does not cut the replay of a call that had already ended', async () => {
    const clock = new ManualClock(1_000_000);
    const { end } = await run({
      clock,
      config: { maxTurnMs: 1_000 },
      model: function* () {
        clock.skip(5_000);
        yield* [says('All '), says('of '), says('it.'), ends()];
      },
    });
    expect(end).toMatchObject({ reason: 'answered', fullContent: 'All of it.' });
  });

  it('that a tool spends ends tool use', async () => {
    const clock = new ManualClock(1_000_000);
    const { end, tools } = await run({
      clock,
      config: { maxTurnMs: 1_000 },
      model: (n, _messages, { tools: offered }) =>
        offered ? [asks(toolCall('Files_read', { path: `${n}` }))] : [says('x')],
      tool: () => {
        clock.skip(1_000);
        return { success: true, result: 'slow' };
      },
    });
    expect(end).toMatchObject({ reason: 'time', fullContent: 'x' });
    expect(tools.executed).toHaveLength(1);
  });
});

describe('tokens', () => {
  it('end an endless stream at once, with their notice', async () => {
    const { end, events, adapter } = await run({
      config: { maxTurnTokens: 5 },
      model: function* () {
        for (;;) yield says('1234');
      },
    });
    expect(end).toMatchObject({ reason: 'tokens', fullContent: '1234'.repeat(6) });
    expect(adapter.calls).toHaveLength(1);
    expect(events.at(-2)).toEqual({
      type: 'chunk',
      content: '\n\n**System Notice**: Maximum turn length reached.\n\n',
      notice: 'token_limit',
    });
  });

  it('count by the provider, over the whole turn, and bound the next call', async () => {
    const { end, adapter } = await run({
      config: { maxTurnTokens: 100, maxPhaseCycles: 25 },
      model: (n) => [
        asks(toolCall('Files_read', { path: `${n}` })),
        { type: 'done', fullContent: '', usage: { promptTokens: 1, completionTokens: 40 } },
      ],
    });
    expect(end).toMatchObject({ reason: 'tokens' });
    expect(adapter.calls.map(({ options }) => options.tokenBudget)).toEqual([100, 60, 20]);
  });

  it('also count the arguments of an endless call', async () => {
    const { end } = await run({
      config: { maxTurnTokens: 50 },
      model: function* () {
        for (let n = 1; ; n += 1) yield asks(toolCall('Files_read', '1'.repeat(n)));
      },
    });
    expect(end).toMatchObject({ reason: 'tokens' });
  });

  it('that are used up leave none for a forced answer', async () => {
    const { end, adapter } = await run({
      config: { maxTurnTokens: 10, maxPhaseCycles: 1 },
      model: () => [
        asks(read),
        { type: 'done', fullContent: '', usage: { promptTokens: 1, completionTokens: 10 } },
      ],
    });
    expect(end).toMatchObject({ reason: 'cycles' });
    expect(adapter.calls).toHaveLength(1);
  });
});

describe('other ends of a model call', () => {
  it('by repetition end the turn with what was said, without a notice', async () => {
    const { end, events, adapter } = await run({
      model: function* () {
        for (;;) yield says('Wait, once more. ');
      },
    });
    expect(end).toMatchObject({ reason: 'repetition', status: 'completed' });
    expect(end.type === 'done' && end.fullContent.length).toBeLessThan(4_500);
    expect(noticesOf(events)).toEqual([]);
    expect(adapter.calls).toHaveLength(1);
  });

  it.each([
    ['length', ends('length'), 'length', 'completed'],
    ['repetition', cut('repetition'), 'repetition', 'completed'],
    ['tokens', cut('tokens'), 'tokens', 'completed'],
    ['cost', cut('cost'), 'cost', 'completed'],
    ['cancelled', cut('cancelled'), 'cancelled', 'cancelled'],
  ])('%s', async (_what, done, reason, status) => {
    const { end } = await run({ model: () => [says('Said.'), done] });
    expect(end).toMatchObject({ reason, status, fullContent: 'Said.' });
  });
});

describe('cancel', () => {
  it.each([1, 2, 3])('ends the turn after event %i with what was said', async (after) => {
    const cancellation = { isRequested: false };
    let shown = 0;
    const { end, adapter } = await run({
      cancellation,
      model: function* () {
        for (const event of [says('a'), says('b'), ends()]) {
          shown += 1;
          cancellation.isRequested = shown === after;
          yield event;
        }
      },
    });
    expect(end).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled',
      fullContent: 'ab'.slice(0, after),
    });
    expect(adapter.calls).toHaveLength(1);
  });

  it('during a tool ends the turn after it', async () => {
    const cancellation = { isRequested: false };
    const { end, events, adapter } = await run({
      cancellation,
      model: () => [says('Look.'), asks(read), ends()],
      tool: () => {
        cancellation.isRequested = true;
        return { success: true, result: 'x' };
      },
    });
    expect(end).toMatchObject({ reason: 'cancelled', fullContent: 'Look.' });
    expect(adapter.calls).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
  });

  it.each(['tool', 'model'])('that makes a port throw (%s) is a cancel, not an error', async (port) => {
    const cancellation = { isRequested: false };
    const stop = (): never => {
      cancellation.isRequested = true;
      throw new Error('aborted');
    };
    const { end, events } = await run({
      cancellation,
      model: function* () {
        yield says('Look.');
        if (port === 'model') stop();
        yield asks(read);
      },
      tool: stop,
    });
    expect(end).toMatchObject({ reason: 'cancelled', status: 'cancelled', fullContent: 'Look.' });
    expect(events.some(({ type }) => type === 'tool_result')).toBe(false);
  });

  it('of the forced answer ends the turn as cancelled', async () => {
    const cancellation = { isRequested: false };
    const { end } = await run({
      cancellation,
      config: { maxPhaseCycles: 0 },
      model: function* () {
        yield says('So');
        cancellation.isRequested = true;
        yield says(' be');
        yield says(' it.');
      },
    });
    expect(end).toMatchObject({ reason: 'cancelled', fullContent: 'So be' });
  });
});

describe('errors', () => {
  it('of a model call end the turn with their code', async () => {
    const { events, end } = await run({
      model: function* () {
        yield says('Half');
        throw new ModelCallError('model_rate_limited', 'Too many requests.');
      },
    });
    expect(end).toEqual({ type: 'error', code: 'model_rate_limited', message: 'Too many requests.' });
    expect(events.filter(({ type }) => type === 'done' || type === 'error')).toHaveLength(1);
  });

  it('that are unexpected do not show their text', async () => {
    const { end, traceService } = await run({
      model: function* () {
        yield says('Half');
        throw new TypeError('secret detail');
      },
    });
    expect(end).toEqual({
      type: 'error',
      code: 'internal_error',
      message: 'An internal error ended the turn.',
    });
    expect(traceService.records).toContainEqual(
      expect.objectContaining({ type: 'system_error', error: 'secret detail' }),
    );
  });

  it('of the trace cost nothing', async () => {
    const traceService = {
      record: () => {
        throw new Error('trace store down');
      },
    };
    const { end } = await run({ traceService });
    expect(end).toMatchObject({ type: 'done', reason: 'answered' });
  });

  it('of a trace that fails later do not end the process', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const rejecting: () => unknown = () => Promise.reject(new Error('trace store down'));
    const { end } = await run({
      traceService: { record: rejecting },
    });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(end).toMatchObject({ type: 'done', reason: 'answered' });
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('traces', () => {
  it('are the documented ones in a turn with one tool, each once', async () => {
    const { traceService } = await run({ model: (n) => (n === 1 ? [asks(read)] : [says('x')]) });
    expect(traceService.records.map(({ type, phaseIndex }) => `${type} ${phaseIndex ?? ''}`.trim())).toEqual([
      'user_message',
      'orchestration_phase_start 0',
      'llm_call 0',
      'llm_result 0',
      'orchestration_phase_end 0',
      'orchestration_phase_start 1',
      'tool_call 1',
      'tool_result 1',
      'orchestration_phase_end 1',
      'orchestration_phase_start 2',
      'llm_call 2',
      'llm_result 2',
      'orchestration_phase_end 2',
      'orion_response',
    ]);
    expect(new Set(traceService.records.map(({ requestId }) => requestId))).toEqual(new Set(['r1']));
  });
});
