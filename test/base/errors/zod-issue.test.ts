import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { expectationOf, issueLine, valueAt } from '../../../src/base/errors/zod-issue.ts';

const schema = z.object({
  mode: z.enum(['plan', 'act']),
  list: z.array(z.number()).max(2),
  path: z.string().min(1, 'expected a path that is not blank'),
});

const problems = (input: unknown): unknown[] =>
  (schema.safeParse(input).error?.issues ?? []).map((issue) => [
    issue.path.join('.'),
    expectationOf(issue),
    valueAt(input, issue.path),
  ]);

describe('an issue', () => {
  it('says what is expected, without the word “expected”, and what was received', () => {
    expect(problems({ mode: 'ask', list: [1, 'two'], path: '' })).toEqual([
      ['mode', '"plan" or "act"', 'ask'],
      ['list.1', 'a number', 'two'],
      ['path', 'a path that is not blank', ''],
    ]);
  });

  it('describes bounds like any other expectation', () => {
    expect(problems({ mode: 'act', list: [1, 2, 3], path: 'a' })).toEqual([
      ['list', 'at most 2 items', [1, 2, 3]],
    ]);
  });

  it.each([
    [z.string().min(1), '', 'at least 1 character'],
    [z.string().max(3), 'long', 'at most 3 characters'],
    [z.number().positive(), 0, 'more than 0'],
    [z.number().lt(5), 5, 'less than 5'],
    [z.number().int(), 1.5, 'an integer'],
    [z.number().min(2), 1, 'at least 2'],
    [z.boolean(), 'yes', 'true or false'],
    [z.record(z.string(), z.string()), [], 'an object'],
    [z.array(z.string()).min(1), {}, 'an array'],
    [z.string().max(1, 'expected one character'), 'ab', 'one character'],
  ])('%# is in words for people', (bounded: z.ZodType, input, expected) => {
    expect(bounded.safeParse(input).error?.issues.map(expectationOf)).toEqual([expected]);
  });

  it('about something that is missing has no value', () => {
    expect(problems('text')).toEqual([['', 'an object', 'text']]);
    expect(valueAt({ a: null }, ['a', 'b'])).toBeUndefined();
    expect(valueAt({}, ['a'])).toBeUndefined();
  });
});

it('an issue has one line, with its place, what was expected and what was received', () => {
  const strict = z.array(z.strictObject({ name: z.string() }));
  const linesOf = (input: unknown, words: object = {}) =>
    (strict.safeParse(input).error?.issues ?? []).map((issue) =>
      issueLine(issue, input, { fields: 'name', ...words }),
    );
  expect(linesOf([{ name: 7 }, {}])).toEqual([
    '[0] › name: expected a string, received 7',
    '[1] › name: expected a string, received nothing',
  ]);
  expect(linesOf([{ name: 'a', b: 1, c: 2 }])).toEqual(['[0]: expected name only, received b, c']);
  expect(linesOf(5)).toEqual(['expected an array, received 5']);
  expect(linesOf([5], { expected: 'a key', received: 'no key' })).toEqual([
    '[0]: expected a key, received no key',
  ]);
});
