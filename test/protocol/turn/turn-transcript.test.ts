import { describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import type { ToolCall, ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import {
  type ClosingTurn,
  type RecordedExecution,
  turnTranscript,
} from '../../../src/protocol/turn/turn-transcript.ts';
import { withOrionCallIds } from '../../../src/db/turns/call-ids.ts';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const says = (content: string): ModelMessage => ({ role: 'assistant', content });
const call = (id: string, path = 'a.ts'): ToolCall => ({
  id,
  type: 'function',
  function: { name: 'FileSystemTool_read_file', arguments: JSON.stringify({ path }) },
});
const asks = (content: string, ...calls: ToolCall[]): ModelMessage => ({
  role: 'assistant',
  content,
  tool_calls: calls,
});
const answers = (id: string, content: string): ModelMessage => ({ role: 'tool', tool_call_id: id, content });
const result = (text: string): ToolResult => ({
  toolCallId: 'x',
  toolName: 'FileSystemTool.read_file',
  success: true,
  result: text,
  attempts: 1,
  durationMs: 1,
  timestamp: '',
});
const ran = (phaseIndex: number, outcome: ToolResult | null, path = 'a.ts'): RecordedExecution => ({
  phaseIndex,
  toolName: 'FileSystemTool.read_file',
  arguments: JSON.stringify({ path }),
  result: outcome,
});

const action = (index: number): TurnEvent => ({ type: 'phase', phase: 'action', index, cycle: 0 });
const tool = (index: number): TurnEvent => ({ type: 'phase', phase: 'tool', index, cycle: 0 });
const chunk = (content: string): TurnEvent => ({ type: 'chunk', content });
const notice: TurnEvent = { type: 'chunk', content: 'ours', notice: 'duplicate' };
const callsEvent = (...calls: ToolCall[]): TurnEvent => ({ type: 'tool_calls', calls });
const steer = (content: string): TurnEvent => ({
  type: 'steer',
  messageId: 'm',
  content,
  by: { kind: 'key', name: 'anna' },
  at: '',
  interrupted: false,
});

const ended = (
  steps: readonly ModelMessage[][],
  events: readonly TurnEvent[],
  more: Partial<ClosingTurn> = {},
) =>
  turnTranscript({
    steps: steps.map((messages, i) => ({ step: i + 1, messages })),
    list: events.map((event, seq) => ({ id: { epoch: 1, seq }, event })),
    ledger: [],
    replaced: [],
    toolResultRole: 'tool',
    ...more,
  });
const messagesOf = (...turn: Parameters<typeof ended>) => {
  const transcript = ended(...turn);
  return transcript && [...transcript.sent, ...transcript.rest];
};

describe('the transcript of a turn', () => {
  it('is what its calls were sent, and the answer to the last', () => {
    const steps = [[user('q')], [asks('I look.', call('1')), answers('1', 'text')]];
    const events = [
      action(0),
      chunk('I look.'),
      callsEvent(call('1')),
      tool(1),
      action(2),
      notice,
      chunk('Done.'),
    ];
    expect(messagesOf(steps, events, { ledger: [ran(1, result('text'))] })).toEqual([
      ...steps.flat(),
      says('Done.'),
    ]);
  });

  it('keeps the result of a tool that no later call was sent, because the turn was cancelled', () => {
    const events = [action(0), chunk('I look.'), callsEvent(call('1')), tool(1)];
    expect(messagesOf([[user('q')]], events, { ledger: [ran(1, result('text'))] })).toEqual([
      user('q'),
      asks('I look.', call('1')),
      answers('1', '{"ok":true,"result":"text"}'),
      says('[no answer]'),
    ]);
  });

  it.each([
    ['begun, and nobody knows what came of it', [ran(1, null)], 'OUTCOME_UNKNOWN'],
    ['not begun', [], 'Not run: the turn ended.'],
  ])('leaves no call unpaired: %s', (_what, ledger, content) => {
    const events = [action(0), callsEvent(call('1')), tool(1)];
    expect(messagesOf([[user('q')]], events, { ledger })).toEqual([
      user('q'),
      asks('', call('1')),
      answers('1', content),
      says('[no answer]'),
    ]);
  });

  it('says about the other calls of an answer that only one runs at a time, and drops unfinished ones', () => {
    const half: ToolCall = { ...call('3'), function: { name: 'x', arguments: '{"pa' } };
    const events = [action(0), callsEvent(call('1', 'a'), call('2', 'b'), half), tool(1)];
    expect(messagesOf([[user('q')]], events, { ledger: [ran(1, result('B'), 'b')] })?.slice(1, -1)).toEqual([
      asks('', call('1', 'a'), call('2', 'b')),
      answers('1', 'Not run: one call at a time.'),
      answers('2', '{"ok":true,"result":"B"}'),
    ]);
  });

  it('says what ran instead of a call that somebody has edited', () => {
    const events = [action(0), callsEvent(call('1', 'a')), tool(1)];
    const ledger = [ran(1, result('B'), 'b')];
    expect(messagesOf([[user('q')]], events, { ledger })?.[2]?.content).toBe(
      'The user changed the arguments to: {"path":"b"}\n\n{"ok":true,"result":"B"}',
    );
  });

  it('keeps what was said into the turn after its last call', () => {
    const events = [action(0), chunk('One.'), steer('wait')];
    expect(messagesOf([[user('q')]], events)).toEqual([
      user('q'),
      says('One.'),
      user('wait'),
      says('[no answer]'),
    ]);
  });

  it('has a line for a file that its last call has written in part, over several calls', () => {
    const line = '[did not write a.ts: 2 lines]';
    const steps = [
      [user('q')],
      [asks('', call('1')), answers('1', 'begun')],
      [says('line 1'), user('go on')],
    ];
    const events = [action(0), tool(1), action(2), chunk('line 1'), action(3), chunk('\nline 2')];
    const replaced = [{ from: 0, to: 13, line }];
    expect(messagesOf(steps, events, { replaced })).toEqual([...steps.slice(0, 2).flat(), says(line)]);
    const told = [...steps.slice(0, 2), [says(line), user('unfinished')]];
    const later = [...events.slice(0, 4), action(4), chunk('Sorry.')];
    const ofOnePhase = [{ from: 0, to: 6, line }];
    expect(messagesOf(told, later, { replaced: ofOnePhase })?.at(-1)).toEqual(says('Sorry.'));
    expect(messagesOf(told, later, { replaced: ofOnePhase })).toHaveLength(told.flat().length + 1);
  });

  it('keeps results as they were sent to providers without tool messages: boxed, by the system', () => {
    const events = [action(0), chunk('I look.'), callsEvent(call('1')), tool(1)];
    const options = { ledger: [ran(1, result('text'))], toolResultRole: 'system' as const };
    const messages = messagesOf([[user('q')]], events, options);
    expect(messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'assistant']);
    expect(messages?.[2]?.content).toContain('TOOL RESULT: FileSystemTool.read_file');
  });

  it('does not exist for a turn without a model call, or whose first call was sent by an older release', () => {
    expect(ended([], [action(0)])).toBeUndefined();
    expect(ended([[{ role: 'system', content: 'You are Orion.' }, user('q')]], [])).toBeUndefined();
  });
});

describe('call ids', () => {
  it('are nine letters and digits and unique, whatever the provider has used', () => {
    const messages = [asks('', call('x'), call('x')), answers('x', 'one'), answers('x', 'two')];
    const ids = new Set<string>();
    for (let turn = 0; turn < 50; turn += 1) {
      for (let step = 1; step <= 20; step += 1) {
        const [asking, ...results] = withOrionCallIds(messages, { turnId: `t${turn}`, step });
        const calls = asking?.role === 'assistant' ? (asking.tool_calls ?? []).map(({ id }) => id) : [];
        expect(results).toMatchObject(calls.map((id) => ({ tool_call_id: id })));
        for (const id of calls) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
        for (const id of calls) ids.add(id);
      }
    }
    expect(ids.size).toBe(2 * 50 * 20);
    expect(withOrionCallIds(messages, { turnId: 't', step: 1 })).toEqual(
      withOrionCallIds(messages, { turnId: 't', step: 1 }),
    );
  });
});
