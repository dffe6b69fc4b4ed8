/** Covers which calls run, which are refused, and what is said of it (docs/protocol.md). */
import { describe, expect, it } from '@jest/globals';
import {
  asks,
  ends,
  noticesOf,
  says,
  eventText,
  toolCall,
  type FakeTurnParts,
} from '../support/fake-ports.ts';
import { asking, chunkOf, forEver, phasesOf, read, run } from './support/two-stage-run.ts';
import { untyped } from '../support/untyped.ts';

describe('a complete call', () => {
  it('ends the phase as soon as the next one proves it, and the stream is returned', async () => {
    const [first, second] = [read('a'), toolCall('Files_read', '', 'call_2')];
    const { adapter, tools, events } = await run({
      model: (n) =>
        n === 1 ? [asks(first), asks(first, second), says('after'), ends()] : [says('x'), ends()],
    });
    expect(adapter.endedEarly).toBe(1);
    expect(tools.executed.map(({ call }) => call)).toEqual([first]);
    expect(eventText(events)).toBe('x');
  });

  it('is not a call that merely parses so far', async () => {
    const { tools } = await run({
      model: (n) =>
        n === 1
          ? [asks(toolCall('Files_read', '{}')), asks(toolCall('Files_read', '{"path":"a"}')), ends()]
          : [says('x')],
    });
    expect(tools.executed.map(({ call }) => call.function.arguments)).toEqual(['{"path":"a"}']);
  });

  it('is the first complete one of several', async () => {
    const { tools } = await run({
      model: (n) =>
        n === 1 ? [asks(toolCall('Files_read', '{"pa'), read('b'), read('c')), ends()] : [says('x')],
    });
    expect(tools.executed.map(({ call }) => call.function.arguments)).toEqual(['{"path":"b"}']);
  });

  it('is the only one that runs, and the model learns of the others', async () => {
    const half = toolCall('Files_read', '{"pa', 'call_3');
    const { adapter } = await run({
      model: (n) =>
        n === 1
          ? [says('Look.'), asks(read('a'), toolCall('Files_read', { path: 'b' }, 'call_2'), half), ends()]
          : [says('x')],
    });
    expect(adapter.calls[1]?.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: 'Look.',
        tool_calls: [{ function: { arguments: '{"path":"a"}' } }, { id: 'call_2' }],
      },
      { role: 'tool', tool_call_id: read('a').id },
      { role: 'tool', tool_call_id: 'call_2', content: 'Not run: one call at a time.' },
    ]);
  });

  it.each([
    ['text after it', [says('before '), asks(read('a')), says('after'), ends()], 'before '],
    ['text between its deltas', [asks(toolCall('Files_read', '{"pa')), says('mid'), asks(read('a'))], 'mid'],
    [
      'text after a call that then goes on',
      [asks(toolCall('Files_read', '{}')), says('mid'), asks(read('a'))],
      'mid',
    ],
  ])('%s', async (_what, events, shown) => {
    const turn = await run({ model: (n) => (n === 1 ? events : []) });
    expect(turn.end).toMatchObject({ fullContent: shown });
  });
});

describe('a malformed call', () => {
  it.each([
    ['no JSON', toolCall('Files_read', '{"path": "a"')],
    ['null', toolCall('Files_read', 'null')],
    ['a list', toolCall('Files_read', '["a"]')],
    ['a string', toolCall('Files_read', '"a"')],
    ['absurdly deep', toolCall('Files_read', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)],
    ['a blank name', toolCall(' ', {})],
    ['no text', untyped({ function: { name: 'Files_read', arguments: { path: 'a' } } })],
    ['no shape', untyped({ foo: 'bar' })],
    ['nothing', untyped(null)],
  ])('(%s) is refused with its notice, and the turn goes on', async (_what, call) => {
    const { events, tools, end, adapter } = await run({
      model: (n) => (n === 1 ? [says('Hm.'), asks(call), ends('tool_calls')] : [says('Answer.'), ends()]),
    });
    expect(tools.executed).toEqual([]);
    expect(end).toMatchObject({ reason: 'answered' });
    expect(phasesOf(events)).toEqual(['action 0 0', 'tool 1 0', 'action 2 0']);
    expect(chunkOf(events, 'malformed')).toBe(
      '\n\n**System Notice**: Tool call incomplete or malformed. Continue reasoning.\n\n',
    );
    expect(adapter.calls[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Hm.' },
      { role: 'system', content: 'Tool call incomplete or malformed. Continue reasoning.' },
    ]);
  });

  it('is one that the token limit cut, even when it parses', async () => {
    const { events, tools } = await run({
      model: (n) => (n === 1 ? [asks(read('a')), ends('length')] : [says('x')]),
    });
    expect(tools.executed).toEqual([]);
    expect(noticesOf(events)).toEqual(['malformed']);
  });

  it('does not keep an earlier complete call of a cut answer from running', async () => {
    const { tools } = await run({
      model: (n) =>
        n === 1 ? [asks(read('a'), toolCall('Files_read', '{"p')), ends('length')] : [says('x')],
    });
    expect(tools.executed).toHaveLength(1);
  });
});

describe('notices', () => {
  it('a duplicate is reported to the user, the model and the trace', async () => {
    const { events, adapter, traceService } = await run({ model: asking(read('a'), read('./a')) });
    const text =
      'Duplicate tool call detected (already executed in this turn). Do NOT call this tool again. Use previous results.';
    expect(chunkOf(events, 'duplicate')).toBe(`\n\n**System Notice**: ${text}\n\n`);
    expect(adapter.calls[2]?.messages.at(-1)).toEqual({ role: 'system', content: text });
    expect(adapter.calls[2]?.messages.filter((message) => 'tool_calls' in message)).toHaveLength(1);
    expect(traceService.records.map(({ type }) => type)).toContain('duplicate_tool_call');
  });

  it('in plan mode', async () => {
    const { events, adapter } = await run({
      mode: 'plan',
      model: asking(toolCall('Files_write', { path: 'a' })),
    });
    expect(chunkOf(events, 'plan_mode')).toBe(
      '\n\n**System Notice:** The following tool calls were blocked because they are not allowed in PLAN mode: Files_write. Switch to ACT mode to execute write operations.',
    );
    expect(adapter.calls[1]?.messages.at(-1)).toEqual({
      role: 'system',
      content:
        'Refusal: The tool calls [Files_write] were blocked by system policy because the user is in PLAN mode. You must ask the user to switch to ACT mode if these actions are required.',
    });
  });

  it('in plan mode are about no reads, polls and exact names, which run', async () => {
    const calls = [read('a'), toolCall('Job_status', {}), toolCall('Files_read_all', {})];
    const { events, tools } = await run({ mode: 'plan', model: asking(...calls) });
    expect(tools.executed).toHaveLength(2);
    expect(noticesOf(events)).toEqual(['plan_mode']);
  });

  const bad = () => toolCall('Files_read', '{');
  const write = (n: number) => toolCall('Files_write', { path: `${n}` });
  it.each<[string, string, string, FakeTurnParts]>([
    [
      'duplicate_limit',
      'Maximum duplicate tool call attempts exceeded.',
      'duplicates',
      { model: forEver(() => read('a')), config: { maxDuplicateAttempts: 1 } },
    ],
    [
      'cycle_limit',
      'Maximum tool execution cycles (2) reached.',
      'cycles',
      { model: forEver((n) => read(`${n}`)), config: { maxPhaseCycles: 2 } },
    ],
    [
      'malformed_limit',
      'Maximum malformed tool calls reached.',
      'malformed',
      { model: forEver(bad), config: { maxMalformedCalls: 1 } },
    ],
    [
      'refusal_limit',
      'Maximum refused tool calls reached.',
      'refusals',
      { model: forEver(write), mode: 'plan', config: { maxRefusals: 1 } },
    ],
    [
      'no_progress',
      'Tool calls bring no new results.',
      'no_progress',
      {
        model: forEver((n) => read(`${n}`)),
        tool: () => ({ success: true, result: '' }),
        config: { maxNoProgress: 1 },
      },
    ],
  ])('of a limit are only its own (%s)', async (notice, sentence, reason, settings) => {
    const { events, adapter, end } = await run(settings);
    expect(noticesOf(events)).toEqual([notice]);
    expect(chunkOf(events, notice)).toBe(`\n\n**System Notice**: ${sentence} Provide final answer.\n\n`);
    expect(adapter.calls.at(-1)?.messages.at(-1)).toEqual({
      role: 'system',
      content: `${sentence} Provide final answer without further tool calls.`,
    });
    expect(end).toMatchObject({ reason, fullContent: 'Answer.' });
  });
});
