import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { expectationOf, valueAt } from '../../../src/base/errors/zod-issue.ts';

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
      ['list.1', 'number', 'two'],
      ['path', 'a path that is not blank', ''],
    ]);
  });

  it('describes bounds like any other expectation', () => {
    expect(problems({ mode: 'act', list: [1, 2, 3], path: 'a' })).toEqual([
      ['list', 'array to have <=2 items', [1, 2, 3]],
    ]);
  });

  it('about something that is missing has no value', () => {
    expect(problems('text')).toEqual([['', 'object', 'text']]);
    expect(valueAt({ a: null }, ['a', 'b'])).toBeUndefined();
    expect(valueAt({}, ['a'])).toBeUndefined();
  });
});
