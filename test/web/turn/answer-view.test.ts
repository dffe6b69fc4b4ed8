import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { activityWords } from '../../../src/web/turn/call-words.ts';
import { EMPTY_VIEW, foldEvent, type AnswerView } from '../../../src/web/turn/answer-view.ts';

const viewOf = (...events: readonly TurnEvent[]): AnswerView =>
  events.reduce((view, event, index) => foldEvent(view, index + 1, event), EMPTY_VIEW);

const action: TurnEvent = { type: 'phase', phase: 'action', index: 0, cycle: 0 };
const tool: TurnEvent = { type: 'phase', phase: 'tool', index: 1, cycle: 0 };
const calls = (...asked: (readonly [id: string, args: string])[]): TurnEvent => ({
  type: 'tool_calls',
  calls: asked.map(([id, args]) => ({
    id,
    type: 'function',
    function: { name: 'FileSystemTool_read_file', arguments: args },
  })),
});
const result = (callId: string): TurnEvent => ({
  type: 'tool_result',
  callId,
  name: 'FileSystemTool_read_file',
  ok: true,
  durationMs: 5,
  bytes: 3,
});
const states = (view: AnswerView): unknown[] =>
  view.entries.flatMap((entry) => (entry.kind === 'call' ? [[entry.callId, entry.state]] : []));

describe('the result of a tool in a box', () => {
  const box = (name: string): TurnEvent => ({
    type: 'chunk',
    content: `\n\n═══\nTOOL RESULT: ${name}\n═══\n{}\n═══\n\n`,
    notice: 'tool_result',
  });
  const kinds = (view: AnswerView): unknown[] => view.entries.map(({ kind }) => kind);

  it('is left out when the card of its call is shown', () => {
    const view = viewOf(action, calls(['a', '{}']), tool, result('a'), box('FileSystemTool.read_file'));
    expect(kinds(view)).toEqual(['call']);
  });

  it('is shown where no card shows the same', () => {
    const unused = [action, calls(['a', '{}']), tool, action] as const;
    expect(kinds(viewOf(...unused, box('FileSystemTool.read_file')))).toEqual(['call', 'notice']);
    expect(kinds(viewOf(...unused, tool, result('a'), box('Other.tool')))).toEqual(['call', 'notice']);
  });
});

describe('tool calls', () => {
  it('grow while their arguments come, and the first of an answer runs', () => {
    const asked = [action, calls(['a', '{"pa']), calls(['a', '{"path":"x"}'], ['b', '{}'])];
    expect(states(viewOf(...asked))).toEqual([
      ['a', 'asked'],
      ['b', 'asked'],
    ]);
    expect(states(viewOf(...asked, tool))).toEqual([
      ['a', 'running'],
      ['b', 'asked'],
    ]);
    expect(states(viewOf(...asked, tool, result('a'), action))).toEqual([
      ['a', 'ok'],
      ['b', 'unused'],
    ]);
  });

  it('that an answer takes back are gone, those of earlier answers stay', () => {
    const view = viewOf(action, calls(['a', '{}']), tool, result('a'), action, calls(['b', '']), calls());
    expect(states(view)).toEqual([['a', 'ok']]);
  });

  it('of two answers with the same id are two', () => {
    const once = [action, calls(['a', '{}']), tool, result('a')];
    expect(states(viewOf(...once, ...once))).toEqual([
      ['a', 'ok'],
      ['a', 'ok'],
    ]);
  });
});

describe('a call that a person is asked about', () => {
  const asked: TurnEvent = {
    type: 'input_requested',
    inputId: 't/1',
    kind: 'approval',
    message: 'May it?',
    callId: 'a',
    options: ['allow', 'deny'],
    default: 'deny',
    expiresAt: '',
  };
  const replied = (reply: 'allow' | 'deny'): Extract<TurnEvent, { type: 'input_resolved' }> => ({
    type: 'input_resolved',
    inputId: 't/1',
    reply,
    by: { kind: 'local' },
    at: '',
  });
  const waits = [action, calls(['a', '{}']), tool, asked];

  it('waits, and runs only once it was allowed', () => {
    expect(states(viewOf(...waits))).toEqual([['a', 'waiting']]);
    expect(activityWords(viewOf(...waits))).toBe('Waits for you');
    expect(states(viewOf(...waits, replied('allow')))).toEqual([['a', 'running']]);
    expect(states(viewOf(...waits, replied('deny')))).toEqual([['a', 'unused']]);
    expect(states(viewOf(...waits, replied('allow'), result('a')))).toEqual([['a', 'ok']]);
  });

  it('shows what runs instead, once it was edited', () => {
    const edited: TurnEvent = { ...replied('allow'), reply: 'edit', arguments: '{"path":"y"}' };
    expect(viewOf(...waits, edited).entries).toMatchObject([
      { kind: 'call', state: 'running', arguments: '{"path":"y"}' },
      { kind: 'input' },
    ]);
  });
});

describe('what happens now', () => {
  it.each<[string | undefined, TurnEvent[]]>([
    ['Thinking', [action]],
    ['Answering', [action, { type: 'chunk', content: 'Hi' }]],
    ['Prepares read_file', [action, calls(['a', '{"path":"x'])]],
    ['Running read_file x', [action, calls(['a', '{"path":"x"}']), tool]],
    ['Thinking', [action, calls(['a', '{"path":"x"}']), tool, result('a'), action]],
    [undefined, [action, { type: 'error', code: 'model_unavailable', message: 'away' }]],
  ])('%s', (words, events) => expect(activityWords(viewOf(...events))).toBe(words));
});

describe('a file', () => {
  const file = (stage: 'begun' | 'content_complete' | 'committed'): TurnEvent => ({
    type: 'write_session',
    sessionId: 's',
    stage,
    target: 'a.md',
    bytes: 0,
    lines: 0,
    sha256: '',
  });
  const said = (content: string): TurnEvent => ({ type: 'chunk', content });

  it('has the words between its beginning and its end, over phases; those around it are the answer', () => {
    const begun = [action, said('I begin.'), tool, file('begun'), action, said('one\n'), action, said('two')];
    expect(activityWords(viewOf(...begun))).toBe('Writing a.md');
    const view = viewOf(...begun, file('content_complete'), file('committed'), action, said('It is there.'));
    expect(view.entries).toMatchObject([
      { kind: 'text', text: 'I begin.' },
      { kind: 'file', text: 'one\ntwo', file: { stage: 'committed' } },
      { kind: 'text', text: 'It is there.' },
    ]);
  });
});
