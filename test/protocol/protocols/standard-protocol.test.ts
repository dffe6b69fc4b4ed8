/** Covers the standard loop over scripted ports (docs/protocol.md "Standard protocol"). */
import { describe, expect, it } from '@jest/globals';
import type { TurnMode } from '../../../src/contracts/tools/tool-call.ts';
import { StandardProtocol } from '../../../src/protocol/protocols/standard-protocol.ts';
import {
  asks,
  collect,
  ends,
  type FakeTurnParts,
  fakeTurn,
  type ModelScript,
  noticesOf,
  type RecordedTrace,
  ScriptedTools,
  says,
  terminalOf,
  toolCall,
} from '../../support/fake-ports.ts';
import { ScriptedInputs } from '../support/scripted-inputs.ts';

const run = async (settings: FakeTurnParts) => {
  const turn = fakeTurn(settings);
  const events = await collect(new StandardProtocol(turn.context).executeStreaming(turn.context));
  return { ...turn, events, end: terminalOf(events) };
};

const registrations = ({ records }: RecordedTrace) =>
  records.filter(({ type }) => type === 'tool_registration');

const read = (path: string, id: string) => toolCall('Files_read', { path }, id);

const askingOnce =
  (...calls: ReturnType<typeof toolCall>[]): ModelScript =>
  (n) =>
    n === 1 ? [says('Look.'), asks(...calls), ends('tool_calls')] : [says('Answer.'), ends()];

describe('the standard protocol', () => {
  it('runs all calls of an answer in order, and shows their results', async () => {
    const calls = [read('a', '1'), read('b', '2')];
    const { events, adapter, tools } = await run({ model: askingOnce(...calls) });
    expect(tools.executed.map(({ call }) => call)).toEqual(calls);
    expect(events.map((event) => ('notice' in event ? event.notice : event.type))).toEqual([
      'phase',
      'chunk',
      'tool_calls',
      'phase',
      'tool_result',
      'tool_result',
      'tool_result',
      'tool_result',
      'phase',
      'chunk',
      'done',
    ]);
    expect(adapter.calls[1]?.messages.slice(1).map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'tool',
    ]);
    expect(adapter.calls[0]?.options.stopAt).toBe('end');
  });

  it('ends after five model calls', async () => {
    const { end, adapter, tools, events } = await run({ model: (n) => [asks(read(`${n}`, `${n}`)), ends()] });
    expect(end).toMatchObject({ reason: 'cycles', status: 'completed' });
    expect(adapter.calls).toHaveLength(5);
    expect(tools.executed).toHaveLength(5);
    expect(events.flatMap((event) => (event.type === 'phase' ? [event.index] : []))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  it('blocks every repeat of a turn, in one answer and later, and repeats the result', async () => {
    const { events, tools, adapter } = await run({
      model: (n) =>
        n < 3 ? [asks(read('a', '1'), read('./a', '2'), read(`b${n}`, '3')), ends()] : [says('x'), ends()],
    });
    expect(tools.executed).toHaveLength(3);
    expect(noticesOf(events).filter((notice) => notice === 'duplicate')).toHaveLength(3);
    expect(events).toContainEqual({
      type: 'chunk',
      notice: 'duplicate',
      content:
        '\n\n**System Notice:** Tool call was blocked as DUPLICATE_BLOCKED. Do NOT call this tool again in this turn. Reuse the previous results included below.\n\n',
    });
    const messages = adapter.calls[1]?.messages.slice(1) ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'tool', 'system']);
    expect(messages[2]?.content).toContain('"error":"DUPLICATE_BLOCKED"');
    expect(messages[2]?.content).toContain('1: Files_read');
    expect(messages[4]?.content).toBe(
      'Stop: Files.read was blocked as DUPLICATE_BLOCKED. You MUST NOT retry this tool call again in this turn. Use the previous results provided in the TOOL RESULT payload.',
    );
  });

  it('reports a block that the executor made', async () => {
    const { events } = await run({
      model: askingOnce(read('a', '1')),
      tool: () => ({ success: false, error: 'DUPLICATE_BLOCKED', details: 'earlier' }),
    });
    expect(noticesOf(events)).toEqual(['duplicate', 'tool_result']);
    expect(events.some(({ type }) => type === 'tool_result')).toBe(false);
  });

  it('filters what plan mode forbids, and runs the rest', async () => {
    const calls = [
      toolCall('Files_write', { path: 'a' }, '1'),
      read('a', '2'),
      toolCall('Mail_send', {}, '3'),
    ];
    const { events, tools, adapter } = await run({ mode: 'plan', model: askingOnce(...calls) });
    expect(tools.executed).toHaveLength(1);
    expect(noticesOf(events)).toEqual(['tool_result', 'plan_mode']);
    expect(adapter.calls[1]?.messages.at(-1)?.content).toContain('[Files_write, Mail_send]');
    const paired = adapter.calls[1]?.messages.find((message) => 'tool_calls' in message);
    expect(paired).toMatchObject({ tool_calls: [calls[1]] });
  });

  it('reports malformed calls and goes on', async () => {
    const { events, tools, end } = await run({
      model: askingOnce(toolCall('Files_read', '{"pa', '1'), toolCall(' ', {}, '2')),
    });
    expect(tools.executed).toEqual([]);
    expect(noticesOf(events)).toEqual(['malformed']);
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('obeys the budgets of time and tokens', async () => {
    const tokens = await run({ model: () => [says('12345'), ends()], config: { maxTurnTokens: 1 } });
    expect(tokens.end).toMatchObject({ reason: 'tokens' });
    let ms = 0;
    const late = await run({
      clock: { now: () => ms },
      model: (_n, _messages, { tools }) => (tools ? [asks(read('a', '1')), ends()] : [says('x'), ends()]),
      tool: () => {
        ms = 600_000;
        return { success: true, result: '' };
      },
    });
    expect(late.end).toMatchObject({ reason: 'time', fullContent: 'x' });
  });

  it('gives the cut as the reason when its last call is cut, and makes no further call', async () => {
    const { end, adapter, events } = await run({
      model: (n) =>
        n < 5
          ? [asks(read(`${n}`, '1')), ends()]
          : [says('x'), { type: 'done', fullContent: '', finishReason: 'time' }],
    });
    expect(end).toMatchObject({ reason: 'time' });
    expect(adapter.calls).toHaveLength(5);
    expect(noticesOf(events).at(-1)).toBe('time_limit');
  });

  it('shows the results of calls that ran before a cancel', async () => {
    const cancellation = { isRequested: false };
    const cancel = (): number => {
      cancellation.isRequested = true;
      return 0;
    };
    const inputs = new ScriptedInputs({ rules: [], setting: 'writes' }, ['allow'], cancel, [], cancellation);
    const { tools, events, end } = await run({
      model: askingOnce(read('a', '1'), toolCall('Files_write', { path: 'b' }, '2')),
      inputs,
      cancellation,
    });
    expect(tools.executed.map(({ call }) => call.id)).toEqual(['1']);
    const results = events.filter((event) => event.type === 'tool_result');
    expect(results.map(({ callId }) => callId)).toEqual(['1']);
    expect(end).toMatchObject({ reason: 'cancelled' });
  });

  it('ends a cancelled turn, whatever the port did', async () => {
    const cancellation = { isRequested: false };
    const { end } = await run({
      cancellation,
      model: askingOnce(read('a', '1')),
      tool: () => {
        cancellation.isRequested = true;
        throw new Error('aborted');
      },
    });
    expect(end).toMatchObject({ reason: 'cancelled', fullContent: 'Look.' });
  });

  it('records the tools that the executor offers in its mode', async () => {
    const executor = new ScriptedTools();
    const tools = Object.assign(executor, { offered: (mode: TurnMode) => [`${mode}_tool`] });
    const { traceService } = await run({ tools, mode: 'plan' });
    expect(registrations(traceService)).toMatchObject([
      { summary: '1 tools', details: { tools: ['plan_tool'] } },
    ]);
  });

  it('records the built-in tools of an executor that names none of its own', async () => {
    const executor = new ScriptedTools();
    const tools = { executeToolCalls: executor.executeToolCalls.bind(executor) };
    const { traceService } = await run({ tools });
    const names = expect.arrayContaining(['FileSystemTool_read_file']);
    expect(registrations(traceService)).toMatchObject([{ details: { tools: names } }]);
  });

  it('names no tools where the executor describes its own and does not list them', async () => {
    const { traceService } = await run({});
    expect(registrations(traceService)).toMatchObject([{ summary: 'tools' }]);
    expect(registrations(traceService)[0]).not.toHaveProperty('details');
  });
});
