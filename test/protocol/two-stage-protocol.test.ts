// Tier: pure core. The A/B cycle over scripted ports (protocol.md "Two-stage (A/B) cycle").
import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../src/contracts/turn-event.ts';
import { TwoStageProtocol } from '../../src/protocol/two-stage-protocol.ts';
import {
  asks,
  collect,
  declareTool,
  ends,
  type FakeTurn,
  fakeTurn,
  type ModelScript,
  noticesOf,
  says,
  ScriptedTools,
  terminalOf,
  textOf,
  toolCall,
} from '../support/fake-ports.ts';

const run = async (settings: FakeTurn) => {
  const turn = fakeTurn(settings);
  const events = await collect(new TwoStageProtocol(turn.context).executeStreaming(turn.context));
  return { ...turn, events, end: terminalOf(events) };
};

const read = (path: string) => toolCall('Files_read', { path });

/** Asks for `calls[0]`, `calls[1]` … one per model call, then answers. */
const asking =
  (...calls: ReturnType<typeof toolCall>[]): ModelScript =>
  (n, _messages, { tools }) => {
    const call = tools ? calls[n - 1] : undefined;
    return call ? [asks(call), ends('tool_calls')] : [says('Answer.'), ends()];
  };

const forEver =
  (make: (n: number) => ReturnType<typeof toolCall>): ModelScript =>
  (n, _messages, { tools }) =>
    tools ? [asks(make(n)), ends('tool_calls')] : [says('Answer.'), ends()];

const phasesOf = (events: readonly TurnEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'phase' ? [`${event.phase} ${event.index} ${event.cycle}`] : []));

const chunkOf = (events: readonly TurnEvent[], notice: string): string | undefined =>
  events.flatMap((event) => (event.type === 'chunk' && event.notice === notice ? [event.content] : []))[0];

describe('a turn', () => {
  it('without a tool is one model call', async () => {
    const { events, adapter } = await run({ model: () => [says('Hel'), says('lo.'), ends()] });
    expect(events).toEqual([
      { type: 'phase', phase: 'action', index: 0, cycle: 0 },
      { type: 'chunk', content: 'Hel' },
      { type: 'chunk', content: 'lo.' },
      {
        type: 'done',
        fullContent: 'Hello.',
        status: 'completed',
        reason: 'answered',
        usage: { promptTokens: 0, completionTokens: 2, estimated: true },
      },
    ]);
    expect(adapter.calls).toHaveLength(1);
  });

  it('with one tool is action 0, tool 1, action 2', async () => {
    const call = read('a.md');
    const { events, adapter, tools } = await run({
      model: (n) =>
        n === 1 ? [says('Let me look.'), asks(call), ends('tool_calls')] : [says('It says…'), ends()],
      tool: () => ({ success: true, result: 'größer', durationMs: 12 }),
    });
    expect(events.slice(0, -1)).toEqual([
      { type: 'phase', phase: 'action', index: 0, cycle: 0 },
      { type: 'chunk', content: 'Let me look.' },
      { type: 'tool_calls', calls: [call] },
      { type: 'phase', phase: 'tool', index: 1, cycle: 0 },
      { type: 'tool_result', callId: 'call_1', name: 'Files.read', ok: true, durationMs: 12, bytes: 8 },
      { type: 'phase', phase: 'action', index: 2, cycle: 1 },
      { type: 'chunk', content: 'It says…' },
    ]);
    expect(tools.executed).toMatchObject([
      { call, context: { projectId: 'p1', requestId: 'r1', mode: 'act', phaseIndex: 1, delayMs: 0 } },
    ]);
    expect(adapter.calls[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('TOOL RESULT: Files.read\n') },
    ]);
  });

  it('sums the usage of its calls', async () => {
    const usage = { promptTokens: 10, completionTokens: 2 };
    const { end } = await run({
      model: (n) => [
        ...(n === 1 ? [asks(read('a'))] : [says('x')]),
        { type: 'done', fullContent: '', usage },
      ],
    });
    expect(end).toMatchObject({ usage: { promptTokens: 20, completionTokens: 4 } });
  });

  it('asks with the options of its mode and phase', async () => {
    const { adapter } = await run({ mode: 'plan', model: asking(read('a')) });
    expect(adapter.calls[0]?.options).toEqual({
      stopAt: 'first-complete-call',
      tools: true,
      lead: '',
      deadline: Number.MAX_SAFE_INTEGER,
      tokenBudget: 65_536,
      temperature: 0.7,
      maxTokens: 8_192,
      context: { projectId: 'p1', requestId: 'r1', mode: 'plan' },
    });
    const { adapter: acting } = await run({
      model: forEver((n) => read(`${n}`)),
      config: { maxPhaseCycles: 1 },
    });
    expect(acting.calls[0]?.options).toMatchObject({ temperature: 0.3 });
    expect(acting.calls[1]?.options).toMatchObject({ stopAt: 'end', tools: false });
  });

  it.each([
    ['Hello.', '\n\n'],
    ['Hello.\n', ''],
    ['', ''],
  ])('that said %j leads the next phase in with %j', async (said, lead) => {
    const { adapter } = await run({ model: (n) => (n === 1 ? [says(said), asks(read('a'))] : [says('x')]) });
    expect(adapter.calls[1]?.options.lead).toBe(lead);
  });

  it('takes the end of the stream for its terminal marker', async () => {
    const { end, tools } = await run({ model: (n) => (n === 1 ? [asks(read('a'))] : [says('x')]) });
    expect(end).toMatchObject({ reason: 'answered', fullContent: 'x' });
    expect(tools.executed).toHaveLength(1);
  });

  it('accepts calls without type, id or arguments', async () => {
    const bare = { function: { name: 'Files_read' } } as unknown as ReturnType<typeof toolCall>;
    const { tools } = await run({ model: asking(bare) });
    expect(tools.executed[0]?.call).toEqual({
      id: 'call_0',
      type: 'function',
      function: { name: 'Files_read', arguments: '' },
    });
  });

  it('knows the built-in tools and their aliases when the executor describes none', async () => {
    const executor = new ScriptedTools();
    const tools = { executeToolCalls: executor.executeToolCalls.bind(executor) };
    const same = [
      toolCall('read_file', { path: 'a' }),
      toolCall('FileSystemTool_read_file', { path: './a' }),
    ];
    const { events } = await run({ tools, model: asking(...same) });
    expect(executor.executed).toHaveLength(1);
    expect(noticesOf(events)).toEqual(['duplicate']);
  });
});

describe('number of model calls', () => {
  it.each([0, 1, 2, 5])('%i distinct tools and an answer: one more', async (k) => {
    const calls = Array.from({ length: k }, (_, i) => read(`${i}`));
    const { adapter, end } = await run({ model: asking(...calls), config: { maxPhaseCycles: 25 } });
    expect(adapter.calls).toHaveLength(k + 1);
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it.each([0, 1, 3, 25])('distinct calls for ever with %i cycles: one more', async (maxPhaseCycles) => {
    const { adapter, end, tools } = await run({
      model: forEver((n) => read(`${n}`)),
      config: { maxPhaseCycles },
    });
    expect(adapter.calls).toHaveLength(maxPhaseCycles + 1);
    expect(tools.executed).toHaveLength(maxPhaseCycles);
    expect(end).toMatchObject({ reason: 'cycles', fullContent: 'Answer.' });
  });

  it.each([
    [1, 'Files_read'],
    [3, 'Files_read'],
    [3, 'Files_write'],
    [20, 'Mail_send'],
  ])('with %i duplicate attempts, %s for ever: two more', async (maxDuplicateAttempts, name) => {
    const { adapter, end, tools } = await run({
      model: forEver(() => toolCall(name, { path: 'a' })),
      config: { maxDuplicateAttempts },
    });
    expect(adapter.calls).toHaveLength(maxDuplicateAttempts + 2);
    expect(tools.executed).toHaveLength(1);
    expect(end).toMatchObject({ reason: 'duplicates' });
  });

  it('malformed calls for ever: one more than the budget', async () => {
    const { adapter, end } = await run({ model: forEver(() => toolCall('Files_read', '{"path')) });
    expect(adapter.calls).toHaveLength(4);
    expect(end).toMatchObject({ reason: 'malformed' });
  });

  it('refused calls for ever in plan mode: one more than the budget', async () => {
    const { adapter, end, tools } = await run({
      mode: 'plan',
      model: forEver((n) => toolCall('Files_write', { path: `${n}` })),
    });
    expect(adapter.calls).toHaveLength(4);
    expect(tools.executed).toEqual([]);
    expect(end).toMatchObject({ reason: 'refusals' });
  });
});

describe('the forced answer', () => {
  it('ignores further calls of the model', async () => {
    const { events, end, tools } = await run({
      model: () => [says('Well.'), asks(read('a')), ends('tool_calls')],
      config: { maxPhaseCycles: 1 },
    });
    expect(tools.executed).toHaveLength(1);
    expect(end).toMatchObject({ reason: 'cycles', fullContent: 'Well.Well.' });
    expect(events.filter(({ type }) => type === 'tool_calls')).toHaveLength(1);
    expect(phasesOf(events)).toEqual(['action 0 0', 'tool 1 0', 'action 2 1']);
  });

  it('is the only model call when the budget of cycles is 0', async () => {
    const { adapter, events } = await run({ config: { maxPhaseCycles: 0 } });
    expect(adapter.calls).toHaveLength(1);
    expect(adapter.calls[0]?.options.tools).toBe(false);
    expect(noticesOf(events)).toEqual(['cycle_limit']);
  });
});

describe('a complete call', () => {
  it('ends the phase as soon as the next one proves it, and the stream is given back', async () => {
    const [first, second] = [read('a'), toolCall('Files_read', '', 'call_2')];
    const { adapter, tools, events } = await run({
      model: (n) =>
        n === 1 ? [asks(first), asks(first, second), says('after'), ends()] : [says('x'), ends()],
    });
    expect(adapter.returned).toBe(1);
    expect(tools.executed.map(({ call }) => call)).toEqual([first]);
    expect(textOf(events)).toBe('x');
  });

  it('is not one that only parses so far', async () => {
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
    ['no text', { function: { name: 'Files_read', arguments: { path: 'a' } } } as never],
    ['no shape', { foo: 'bar' } as never],
    ['nothing', null as never],
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

  it('is one that the length cut, though it parses', async () => {
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
  it('of a duplicate', async () => {
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

  it('in plan mode leave reads, polls and exact names alone', async () => {
    const calls = [read('a'), toolCall('Job_status', {}), toolCall('Files_read_all', {})];
    const { events, tools } = await run({ mode: 'plan', model: asking(...calls) });
    expect(tools.executed).toHaveLength(2);
    expect(noticesOf(events)).toEqual(['plan_mode']);
  });

  const bad = () => toolCall('Files_read', '{');
  const write = (n: number) => toolCall('Files_write', { path: `${n}` });
  it.each<[string, string, string, FakeTurn]>([
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
  ])('of a limit: only its own (%s)', async (notice, sentence, reason, settings) => {
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

describe('tool results', () => {
  const rule = '═'.repeat(79);

  it('reach the model boxed, as a tool message', async () => {
    const { adapter } = await run({
      model: asking(read('a')),
      tool: () => ({ success: true, result: { n: 1 } }),
    });
    expect(adapter.calls[1]?.messages.at(-1)?.content).toBe(
      `${rule}\nTOOL RESULT: Files.read\n${rule}\n{\n  "ok": true,\n  "result": {\n    "n": 1\n  }\n}\n${rule}`,
    );
  });

  it('reach a provider without tool messages as a system box, without unpaired calls', async () => {
    const { adapter } = await run({
      model: (n) => (n === 1 ? [says('Look.'), asks(read('a'))] : [says('x')]),
      config: { toolResultRole: 'system' },
    });
    const messages = adapter.calls[1]?.messages.slice(1);
    expect(messages?.map(({ role }) => role)).toEqual(['assistant', 'system']);
    expect(messages?.[0]).toEqual({ role: 'assistant', content: 'Look.' });
  });

  it.each([
    [
      false,
      'The tool call failed. Correct the arguments, choose another way, or answer with what you have; do not repeat the identical call.',
    ],
    [
      true,
      'The tool call failed for a passing reason. You may try it once more, or answer with what you have.',
    ],
  ])('that failed (retryable: %j) come with advice', async (retryable, advice) => {
    const { adapter, events } = await run({
      model: asking(read('a')),
      tool: () => ({ success: false, error: 'not found', retryable }),
    });
    const [box, hint] = adapter.calls[1]?.messages.slice(-2) ?? [];
    expect(JSON.parse(box?.content.split('\n').slice(3, -1).join('\n') ?? '')).toEqual({
      ok: false,
      error: 'not found',
      attempts: 1,
      toolCallId: 'call_1',
    });
    expect(hint).toEqual({ role: 'system', content: advice });
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', ok: false, bytes: 9 }));
  });

  it('are shown only on demand, as a notice and in the event', async () => {
    const shown = await run({ model: asking(read('a')), config: { debugShowToolResults: true } });
    expect(chunkOf(shown.events, 'tool_result')).toMatch(/^\n\n═{79}\nTOOL RESULT: Files.read\n/);
    expect(shown.events).toContainEqual(
      expect.objectContaining({ type: 'tool_result', content: expect.any(String) }),
    );
    expect(shown.end).toMatchObject({ fullContent: 'Answer.' });
    const hidden = await run({ model: asking(read('a')) });
    expect(noticesOf(hidden.events)).toEqual([]);
    expect(hidden.events.find(({ type }) => type === 'tool_result')).not.toHaveProperty('content');
  });

  it.each([
    ['Files_read', 'disk on fire'],
    ['Files_write', 'OUTCOME_UNKNOWN: disk on fire'],
  ])('of %s, thrown instead of returned, are failure data', async (name, error) => {
    const { adapter, end, events } = await run({
      model: asking(toolCall(name, { path: 'a' })),
      tool: () => {
        throw new Error('disk on fire');
      },
    });
    expect(adapter.calls[1]?.messages.at(-2)?.content).toContain(`"error": "${error}"`);
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', ok: false }));
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it('that never came are failure data', async () => {
    const tools = { executeToolCalls: () => Promise.resolve([]) };
    const { adapter } = await run({ tools, model: asking(toolCall('read_file', { path: 'a' })) });
    expect(adapter.calls[1]?.messages.at(-2)?.content).toContain('the tool gave no result');
  });

  it('of unchanged polls are waited for longer and longer', async () => {
    const { tools } = await run({
      model: forEver(() => toolCall('Job_status', {})),
      tool: () => ({ success: true, result: 'running' }),
      config: { maxPhaseCycles: 4 },
    });
    expect(tools.executed.map(({ context }) => context.delayMs)).toEqual([0, 0, 500, 1_000]);
  });
});

describe('no progress', () => {
  const rounds = async (
    model: ModelScript,
    tool: FakeTurn['tool'],
  ): Promise<[reason: unknown, executions: number]> => {
    const config = { maxPhaseCycles: 25 };
    const { end, tools } = await run({ model, config, ...(tool ? { tool } : {}) });
    return [end.type === 'done' && end.reason, tools.executed.length];
  };

  it('counts one point for a failure and for old news, and starts again after news', async () => {
    const failing = rounds(
      forEver((n) => read(`${n}`)),
      (_call, n) => ({ success: false, error: `${n}` }),
    );
    expect(await failing).toEqual(['no_progress', 6]);
    const oldNews = rounds(
      forEver((n) => read(`${n}`)),
      () => ({ success: true, result: 'none' }),
    );
    expect(await oldNews).toEqual(['no_progress', 7]);
    const cleared = rounds(
      forEver((n) => read(`${n}`)),
      (_call, n) => (n === 5 ? { success: true, result: 'new' } : { success: false, error: 'no' }),
    );
    expect(await cleared).toEqual(['no_progress', 11]);
  });

  it('counts two points for the same call with the same answer', async () => {
    const flips = rounds(
      forEver((n) => toolCall('Files_write', { path: 'a', content: n % 2 })),
      () => ({ success: true, result: 'ok' }),
    );
    expect(await flips).toEqual(['no_progress', 5]);
  });

  it('is no matter of first successes of writes, nor of polls', async () => {
    const writes = rounds(
      forEver((n) => toolCall('Files_write', { path: `${n}` })),
      () => ({ success: true, result: 'ok' }),
    );
    expect(await writes).toEqual(['cycles', 25]);
    const polls = rounds(
      forEver((n) => toolCall('Job_status', { job: n % 3 })),
      () => ({ success: true, result: 'running' }),
    );
    expect((await polls)[0]).toBe('cycles');
  });
});

describe('declarations', () => {
  it('may leave out what a tool has none of', async () => {
    const bare = { ...declareTool('Bare_read', 'read'), pathArguments: undefined, defaults: undefined };
    const executor = new ScriptedTools(undefined, [bare as never]);
    const { end } = await run({ tools: executor, model: asking(toolCall('Bare_read', { path: 'a' })) });
    expect(end).toMatchObject({ reason: 'answered' });
  });
});
