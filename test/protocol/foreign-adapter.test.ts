/** Covers adapters that hosts bring along: the text of their `done` counts, whatever their chunks were. */
import { describe, expect, it } from '@jest/globals';
import { createProtocol } from '../../src/protocol/protocols/protocol-registry.ts';
import {
  asks,
  collect,
  type FakeTurnParts,
  fakeTurn,
  noticesOf,
  says,
  terminalOf,
  eventText,
  toolCall,
} from '../support/fake-ports.ts';
import { untyped } from '../support/untyped.ts';
import type { AdapterEvent } from '../../src/compat/llm-adapter.ts';

const doneEvent = (fullContent: string): AdapterEvent => ({ type: 'done', fullContent });
const contradictions = ({ records }: ReturnType<typeof fakeTurn>['traceService']) =>
  records.filter(({ type }) => type === 'system_error');

describe.each(['two_stage', 'standard'] as const)('%s, for an adapter whose done', (protocol) => {
  const run = async (settings: FakeTurnParts) => {
    const turn = fakeTurn(settings);
    const events = await collect(createProtocol(protocol, turn.context).executeStreaming(turn.context));
    return { ...turn, events, end: terminalOf(events), text: eventText(events) };
  };

  it('is the only one with the text: it is shown, and is the answer', async () => {
    const { text, end, events, traceService } = await run({ model: () => [doneEvent('Final')] });
    expect(text).toBe('Final');
    expect(end).toMatchObject({ type: 'done', reason: 'answered', fullContent: 'Final' });
    expect(events.map(({ type }) => type)).toEqual(['phase', 'chunk', 'done']);
    expect(contradictions(traceService)).toEqual([]);
  });

  it('is the only one with the text before a call and after it: both are shown, separated', async () => {
    const { text, end, tools } = await run({
      model: (n) => (n === 1 ? [asks(toolCall('Files_read')), doneEvent('Look.')] : [doneEvent('Final')]),
    });
    expect(tools.executed).toHaveLength(1);
    expect(text).toBe('Look.\n\nFinal');
    expect(end).toMatchObject({ fullContent: 'Look.\n\nFinal' });
  });

  it.each([
    ['a beginning', [says('Fi'), says('na'), doneEvent('Final')]],
    ['all', [says('Final'), doneEvent('Final')]],
    ['all, and done is silent', [says('Final'), doneEvent('')]],
    ['all, and done is not even text', [says('Final'), doneEvent(untyped(undefined))]],
  ])('goes on where its chunks were %s', async (_what, events) => {
    const { text, end, traceService } = await run({ model: () => events });
    expect(text).toBe('Final');
    expect(end).toMatchObject({ fullContent: 'Final' });
    expect(contradictions(traceService)).toEqual([]);
  });

  it('leaves out the line breaks that its chunks began with: no contradiction', async () => {
    const { end, traceService } = await run({
      model: (n, _messages, { lead }) =>
        n === 1
          ? [says('Look.'), asks(toolCall('Files_read')), doneEvent('')]
          : [says(`${lead}Fi`), doneEvent('Final')],
    });
    expect(end).toMatchObject({ fullContent: 'Look.\n\nFinal' });
    expect(contradictions(traceService)).toEqual([]);
  });

  it('contradicts its chunks: done carries what it said, and a trace says so', async () => {
    const { text, end, traceService, adapter } = await run({
      model: (n) =>
        n === 1
          ? [says('Luck.'), asks(toolCall('Files_read')), doneEvent('Look.')]
          : [says('Finale grande'), doneEvent('Final')],
    });
    expect(text).toBe('Luck.Finale grande');
    expect(end).toMatchObject({ fullContent: 'Look.\n\nFinal' });
    expect(adapter.calls[1]?.messages[1]).toMatchObject({ role: 'assistant', content: 'Look.' });
    expect(contradictions(traceService)).toMatchObject([
      { details: { chunkCharacters: 5, doneCharacters: 5 } },
      { details: { chunkCharacters: 13, doneCharacters: 5 } },
    ]);
  });

  it('has more text after a complete call: in two stages that is not shown, as if it had come in chunks', async () => {
    const { text } = await run({
      model: (n) =>
        n === 1
          ? [says('Look.'), asks(toolCall('Files_read')), doneEvent('Look. Found!')]
          : [doneEvent('Final')],
    });
    expect(text).toBe(protocol === 'two_stage' ? 'Look.\n\nFinal' : 'Look. Found!\n\nFinal');
  });

  it('comes in a stream that is read as one, although the adapter has a callModel of its own', async () => {
    const { adapter, context } = fakeTurn({ model: () => [says('Final'), doneEvent('Final')] });
    const callModel = () => Promise.reject(new Error('called past its stream'));
    const turn = { ...context, adapter: Object.assign(adapter, { callModel }) };
    const events = await collect(createProtocol(protocol, turn).executeStreaming(turn));
    expect(terminalOf(events)).toMatchObject({ type: 'done', fullContent: 'Final' });
  });

  it('repeats itself ends like any repetition', async () => {
    const { end, text } = await run({ model: () => [doneEvent('again and '.repeat(1_000))] });
    expect(end).toMatchObject({ reason: 'repetition', fullContent: text });
  });
});

describe.each(['two_stage', 'standard'] as const)('traces of a %s turn', (protocol) => {
  const traced = async (settings: FakeTurnParts) => {
    const turn = fakeTurn(settings);
    const events = await collect(createProtocol(protocol, turn.context).executeStreaming(turn.context));
    return { events, records: turn.traceService.records };
  };
  const call = toolCall('Files_read', { path: 'a' });

  it('name the phase in the rows of its start and its end', async () => {
    const { records } = await traced({ model: (n) => (n === 1 ? [asks(call)] : [says('x')]) });
    const phases = records.flatMap(({ type, details }) =>
      type.startsWith('orchestration_phase') ? [{ type, details }] : [],
    );
    const row = (end: 'start' | 'end', phase: string) => ({
      type: `orchestration_phase_${end}`,
      details: { phase },
    });
    expect(phases).toEqual(
      ['action', 'tool', 'action'].flatMap((phase) => [row('start', phase), row('end', phase)]),
    );
  });

  it('name a repeat as duplicate_tool_call, whether the core refused it or the executor', async () => {
    const expected = {
      type: 'duplicate_tool_call',
      summary: 'Files.read',
      details: { phase: 'tool', callId: 'call_1', name: 'Files_read' },
    };
    const rows = async (settings: FakeTurnParts) =>
      (await traced(settings)).records.filter(({ type }) => type === 'duplicate_tool_call');
    const twice: FakeTurnParts['model'] = (n) => (n < 3 ? [asks(call)] : [says('x')]);
    expect(await rows({ model: twice })).toMatchObject([expected]);
    // The refusal that reaches the limit tells readers only of the limit, but it is recorded nevertheless.
    expect(await rows({ model: twice, config: { maxDuplicateAttempts: 1 } })).toMatchObject([expected]);
    const blocked = () => ({ success: false, error: 'DUPLICATE_BLOCKED' });
    const once: FakeTurnParts['model'] = (n) => (n < 2 ? [asks(call)] : [says('x')]);
    expect(await rows({ model: once, tool: blocked })).toMatchObject([expected]);
  });

  it('refuse 129 calls in one answer as malformed, in clear words, and run 128', async () => {
    const calls = Array.from({ length: 129 }, (_, i) => toolCall('Files_read', { path: `${i}` }, `c${i}`));
    const play = async (asked: typeof calls) => {
      const turn = fakeTurn({ model: (n) => (n === 1 ? [asks(...asked)] : [says('x')]) });
      const events = await collect(createProtocol(protocol, turn.context).executeStreaming(turn.context));
      return { ...turn, events };
    };
    const { events, tools, adapter } = await play([...calls, ...calls]);
    expect(tools.executed).toEqual([]);
    expect(noticesOf(events)).toEqual(['malformed']);
    expect(adapter.calls[1]?.messages.at(-1)).toEqual({
      role: 'system',
      content:
        'Tool call incomplete or malformed: more than 128 tool calls in one answer, none of them was run. Continue reasoning.',
    });
    expect(events.flatMap((event) => (event.type === 'tool_calls' ? [event.calls.length] : []))).toEqual([
      129,
    ]);
    expect((await play(calls)).tools.executed).toEqual([]);
    expect((await play(calls.slice(1))).tools.executed).toHaveLength(protocol === 'standard' ? 128 : 1);
  });
});
