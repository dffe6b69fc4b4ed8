/**
 * Checks that what a model streams costs work in proportion to its length, however it is cut: workers and workflow
 * tasks serve others, too. The work is counted, not timed.
 */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ToolCallThrottle } from '../../activities/call-model/tool-call-throttle.ts';
import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import { ModelStreamReader } from '../../src/protocol/stream/model-stream.ts';
import type { RawDelta } from '../../src/protocol/stream/raw-delta.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Returns the number of characters that were parsed as JSON while `work` ran. */
const parsedBy = (work: () => void): number => {
  const parse = jest.spyOn(JSON, 'parse');
  work();
  const characters = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  parse.mockRestore();
  return characters;
};

const readerOf = (stopAt: 'first-complete-call' | 'end', tokenBudget = 65_536) =>
  new ModelStreamReader({ stopAt, lead: '', tokenBudget });

const feed = (reader: ModelStreamReader, deltas: Iterable<RawDelta>): number => {
  let fed = 0;
  for (const delta of deltas) {
    fed += 1;
    if (reader.feed(delta).shouldStop) break;
  }
  return fed;
};

const calls = function* (
  count: number,
  more: Partial<RawDelta & { type: 'call' }> = {},
): Generator<RawDelta> {
  for (let index = 0; index < count; index += 1) {
    yield { type: 'call', index, id: `c${index}`, name: 'a', arguments: '{"a":1}', ...more };
  }
};

const CHARACTERS = 20_000;

const pieces = function* (text: string, more: object = {}): Generator<RawDelta> {
  for (const char of text) yield { type: 'call', name: 'a', arguments: char, ...more };
};

describe('an answer of many calls', () => {
  it('is read up to the first call that is too many', () => {
    const reader = readerOf('end');
    expect(feed(reader, calls(20_000))).toBe(129);
    expect(reader.calls()).toHaveLength(129);
    expect(reader.end().finishReason).toBe('tool_calls');
  });

  it('is read up to the same call when all calls are incomplete and only the first is wanted', () => {
    expect(feed(readerOf('first-complete-call'), calls(20_000, { arguments: '{' }))).toBe(129);
  });

  it('may have 128', () => {
    const reader = readerOf('end');
    expect(feed(reader, [...calls(128), { type: 'finish', reason: 'stop' }])).toBe(129);
    expect(reader.calls()).toHaveLength(128);
    expect(reader.end().finishReason).toBe('stop');
  });

  it('is not limited when calls are ignored anyway: a forced answer', () => {
    const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: 65_536, tools: false });
    expect(feed(reader, [...calls(200), { type: 'text', text: 'Answer.' }])).toBe(201);
    expect(reader.end().fullContent).toBe('Answer.');
    expect(reader.calls()).toEqual([]);
  });
});

describe('deltas of calls', () => {
  it('are rendered as often as they are shown, not once each', () => {
    const reader = readerOf('end');
    const throttle = new ToolCallThrottle();
    let rendered = 0;
    const render = (): readonly ToolCall[] => {
      rendered += 1;
      return reader.calls();
    };
    for (const delta of pieces('x'.repeat(CHARACTERS))) {
      if (reader.feed(delta).haveCallsChanged) throttle.push(reader.callCharacters, render, 0);
    }
    expect(rendered).toBe(1);
    expect(throttle.flush()?.[0]?.function.arguments).toHaveLength(CHARACTERS);
    expect(rendered).toBe(2);
  });

  it.each([
    ['an open string', `{"a":"${'x'.repeat(CHARACTERS)}`, { index: 0 }],
    ['an open string in calls without index or id', `{"a":"${'x'.repeat(CHARACTERS)}`, {}],
    ['closing brackets in a string', `{"a":"${'}'.repeat(CHARACTERS)}`, { index: 0 }],
    ['closing brackets after the object', `{}${'}'.repeat(CHARACTERS)}`, { id: 'i' }],
    ['the object over and over', '{"a":1}'.repeat(CHARACTERS / 7), { id: 'i' }],
    ['opening brackets', '{"a":'.repeat(CHARACTERS / 5), {}],
  ])('are parsed only once: %s', (_what, text, more) => {
    const reader = readerOf('first-complete-call');
    const parsed = parsedBy(() => {
      expect(feed(reader, pieces(text, more))).toBe(text.length);
      reader.feed({ type: 'finish', reason: 'stop' });
      reader.calls();
    });
    expect(parsed).toBeLessThan(2 * text.length);
  });

  it('are not parsed again for every word that comes after the call', () => {
    const whole = JSON.stringify({ a: 'x'.repeat(CHARACTERS) });
    const reader = readerOf('first-complete-call');
    const parsed = parsedBy(() => {
      reader.feed({ type: 'call', index: 0, name: 'a', arguments: whole });
      for (let i = 0; i < 1_000; i += 1) reader.feed({ type: 'text', text: 'word ' });
    });
    expect(parsed).toBeLessThan(2 * whole.length);
  });
});
