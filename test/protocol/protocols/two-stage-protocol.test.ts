/** Covers the A/B cycle over scripted ports (docs/protocol.md "Two-stage (A/B) cycle"). */
import { describe, expect, it } from '@jest/globals';
import { asks, ends, noticesOf, says, ScriptedTools, toolCall } from '../../support/fake-ports.ts';
import { asking, forEver, phasesOf, read, run } from '../support/two-stage-run.ts';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import { untyped } from '../../support/untyped.ts';

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
      { type: 'tool_result', callId: 'call_1', name: 'Files_read', ok: true, durationMs: 12, bytes: 8 },
      { type: 'phase', phase: 'action', index: 2, cycle: 1 },
      { type: 'chunk', content: 'It says…' },
    ]);
    expect(tools.executed).toMatchObject([
      { call, context: { projectId: 'p1', requestId: 'r1', mode: 'act', phaseIndex: 1, delayMs: 0 } },
    ]);
    expect(adapter.calls[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('{"ok":true') },
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
    const bare: ToolCall = untyped({ function: { name: 'Files_read' } });
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
  it.each([0, 1, 2, 5])('is one more than the tools for %i distinct tools and an answer', async (k) => {
    const calls = Array.from({ length: k }, (_, i) => read(`${i}`));
    const { adapter, end } = await run({ model: asking(...calls), config: { maxPhaseCycles: 25 } });
    expect(adapter.calls).toHaveLength(k + 1);
    expect(end).toMatchObject({ reason: 'answered' });
  });

  it.each([0, 1, 3, 25])(
    'is one more than the budget for endless distinct calls with %i cycles',
    async (maxPhaseCycles) => {
      const { adapter, end, tools } = await run({
        model: forEver((n) => read(`${n}`)),
        config: { maxPhaseCycles },
      });
      expect(adapter.calls).toHaveLength(maxPhaseCycles + 1);
      expect(tools.executed).toHaveLength(maxPhaseCycles);
      expect(end).toMatchObject({ reason: 'cycles', fullContent: 'Answer.' });
    },
  );

  it.each([
    [1, 'Files_read'],
    [3, 'Files_read'],
    [3, 'Files_write'],
    [20, 'Mail_send'],
  ])(
    'is two more than the budget for %i duplicate attempts with endless %s',
    async (maxDuplicateAttempts, name) => {
      const { adapter, end, tools } = await run({
        model: forEver(() => toolCall(name, { path: 'a' })),
        config: { maxDuplicateAttempts },
      });
      expect(adapter.calls).toHaveLength(maxDuplicateAttempts + 2);
      expect(tools.executed).toHaveLength(1);
      expect(end).toMatchObject({ reason: 'duplicates' });
    },
  );

  it('is one more than the budget for endless malformed calls', async () => {
    const { adapter, end } = await run({ model: forEver(() => toolCall('Files_read', '{"path')) });
    expect(adapter.calls).toHaveLength(4);
    expect(end).toMatchObject({ reason: 'malformed' });
  });

  it('is one more than the budget for endless refused calls in plan mode', async () => {
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
