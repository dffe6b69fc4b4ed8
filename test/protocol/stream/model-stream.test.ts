/** Covers the adapter events that are read out of a provider's stream. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import { type ModelStreamOptions, ModelStreamReader } from '../../../src/protocol/stream/model-stream.ts';
import type { RawDelta } from '../../../src/protocol/stream/raw-delta.ts';
import type { AdapterEvent } from '../../../src/compat/llm-adapter.ts';

const text = (content: string): RawDelta => ({ type: 'text', text: content });
const call = (delta: Omit<RawDelta & { type: 'call' }, 'type'>): RawDelta => ({ type: 'call', ...delta });
const finish = (reason: string): RawDelta => ({ type: 'finish', reason });

interface Read {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly events: readonly AdapterEvent[];
  readonly done: AdapterEvent & { type: 'done' };
  readonly read: number;
}

const read = (deltas: readonly RawDelta[], options: Partial<ModelStreamOptions> = {}, end?: 'time'): Read => {
  const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: 10_000, ...options });
  const events: AdapterEvent[] = [];
  let count = 0;
  for (const delta of deltas) {
    const fed = reader.feed(delta);
    events.push(...fed.chunks);
    if (fed.haveCallsChanged) events.push({ type: 'tool_calls', calls: reader.calls() });
    count += 1;
    if (fed.shouldStop) break;
  }
  const calls = events.findLast((event) => event.type === 'tool_calls')?.calls ?? [];
  const said = events.map((event) => (event.type === 'chunk' ? event.content : '')).join('');
  return { text: said, calls, events, done: reader.end(end), read: count };
};

const firstCall = { stopAt: 'first-complete-call' } as const;

describe('text', () => {
  it('comes out with the lead in front, once, and as fullContent', () => {
    const { text: said, done } = read([text(''), text('ha'), text('ha')], { lead: '\n\n' });
    expect(said).toBe('\n\nhaha');
    expect(done.fullContent).toBe('\n\nhaha');
  });

  it('without any word has no lead', () => {
    expect(read([finish('stop')], { lead: '\n\n' }).done.fullContent).toBe('');
  });

  it('is the same, and storable, wherever the provider cuts it', () => {
    const units = fc.string({
      unit: fc.constantFrom('a', '\n', '`', '\0', '\ud83d', '\ude00', '😀', 'é'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(units, fc.nat(12), fc.nat(12), fc.nat(4), (whole, a, b, budget) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const parts = [whole.slice(0, from), whole.slice(from, to), whole.slice(to)].map(text);
        const options = { tokenBudget: budget };
        const split = read([...parts, finish('stop')], options);
        expect(split.text).toBe(read([text(whole), finish('stop')], options).text);
        expect(split.text.isWellFormed()).toBe(true);
        expect(split.text).not.toContain('\0');
        expect(split.done.fullContent).toBe(split.text);
      }),
    );
  });

  it('after a complete call is not shown, between the deltas of a call it is', () => {
    const deltas = [
      call({ index: 0, id: 'i', name: 'a', arguments: '{"x":' }),
      text('between '),
      call({ index: 0, arguments: '1}' }),
      text('after'),
      finish('tool_calls'),
    ];
    expect(read(deltas, firstCall).text).toBe('between ');
    expect(read(deltas).text).toBe('between after');
  });

  it('after a call that only looked complete is shown', () => {
    const deltas = [
      call({ index: 0, name: 'a', arguments: '{}' }),
      text('between'),
      call({ index: 0, arguments: '{"x":1}' }),
      finish('stop'),
    ];
    expect(read(deltas, firstCall).text).toBe('between');
    const open = [call({ index: 0, name: 'a', arguments: '{}' }), text('still'), finish('length')];
    expect(read(open, firstCall).text).toBe('still');
  });
});

describe('the end of a call', () => {
  it.each([
    ['stop', 'stop'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['eos', 'stop'],
    ['constructor', 'stop'],
  ])('%s means %s', (reason, expected) => {
    expect(read([text('a'), finish(reason), { type: 'end' }]).done.finishReason).toBe(expected);
  });

  it('names no reason when it is only the terminal marker, and the cut when the stream was cut', () => {
    expect(read([text('a'), { type: 'end' }]).done).not.toHaveProperty('finishReason');
    expect(read([text('a')], {}, 'time').done.finishReason).toBe('time');
    expect(read([text('a'), finish('stop')], {}, 'time').done.finishReason).toBe('stop');
  });

  it('is a truncation unless the stream announced it', () => {
    const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: 10 });
    reader.feed(text('a'));
    expect(reader.isTerminated).toBe(false);
    reader.feed(finish('stop'));
    expect(reader.isTerminated).toBe(true);
  });

  it('carries the provider usage, else an estimate over all streamed output', () => {
    const usage = { promptTokens: 7, completionTokens: 3 };
    expect(read([text('a'), finish('stop'), { type: 'usage', usage }]).done.usage).toEqual(usage);
    const counted = read([text('12345'), { type: 'reasoning', text: '678' }, call({ index: 0, name: 'a' })]);
    expect(counted.done.usage).toEqual({ promptTokens: 0, completionTokens: 3, estimated: true });
  });

  it('comes when the next call proves the first one complete, and not before', () => {
    const deltas = [
      call({ index: 0, id: 'i', name: 'a', arguments: '{"x":1}' }),
      call({ index: 1, id: 'j', name: 'b' }),
      text('never read'),
    ];
    const stopped = read(deltas, firstCall);
    expect(stopped).toMatchObject({ read: 2, text: '', done: { finishReason: 'tool_calls' } });
    expect(read(deltas).read).toBe(3);
  });

  it('comes at the token budget, with the text that it allows', () => {
    const {
      text: said,
      done,
      read: count,
    } = read([text('12345678'), text('9'), text('x')], { tokenBudget: 2 });
    expect({ said, end: done.finishReason, count }).toEqual({ said: '12345678', end: 'tokens', count: 2 });
    expect(read([{ type: 'reasoning', text: 'x'.repeat(9) }], { tokenBudget: 2 }).done.finishReason).toBe(
      'tokens',
    );
  });

  it('comes when the model repeats itself, at the same character whatever the chunks', () => {
    const words = Array.from({ length: 1_000 }, () => 'Wait, once more. ');
    const { text: said, done } = read(words.map(text));
    expect(done.finishReason).toBe('repetition');
    expect(said.length).toBeLessThan(4_400);
    expect(read([text(words.join(''))])).toMatchObject({ text: said, done: { fullContent: said } });
  });
});

describe('calls', () => {
  it('are reported as soon as one has a name, and once more at the end', () => {
    const { events } = read([
      call({ index: 0, id: 'i' }),
      call({ index: 0, name: 'a' }),
      call({ index: 0, arguments: '{}' }),
      finish('tool_calls'),
    ]);
    expect(events.map((event) => event.type)).toEqual(['tool_calls', 'tool_calls', 'tool_calls']);
  });

  it('without a name are reported at the end, so that they count as malformed', () => {
    expect(read([call({ index: 0, arguments: '{}' }), finish('stop')]).calls).toHaveLength(1);
  });

  it('are ignored when no tools were offered', () => {
    const deltas = [call({ index: 0, name: 'a', arguments: '{}' }), text('answer'), finish('stop')];
    expect(read(deltas, { tools: false })).toMatchObject({ calls: [], text: 'answer' });
    const endless = Array.from({ length: 9 }, () => call({ index: 0, name: 'a', arguments: '1111' }));
    expect(read(endless, { tools: false, tokenBudget: 2 }).done.finishReason).toBe('tokens');
  });
});
