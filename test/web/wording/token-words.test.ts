import { expect, it } from '@jest/globals';
import { usageWords } from '../../../src/web/wording/token-words.ts';

it.each([
  [{ promptTokens: 1_200, completionTokens: 40 }, '1,200 tokens read, 40 written'],
  [
    { promptTokens: 1_200, completionTokens: 40, cachedTokens: 300 },
    '1,200 tokens read (300 cached), 40 written',
  ],
  [{ promptTokens: 0, completionTokens: 105, estimated: true }, 'about 105 tokens written'],
  [{ promptTokens: 0, completionTokens: 0, estimated: true }, ''],
  [
    { promptTokens: 1_200, completionTokens: 105, estimated: true },
    'at least 1,200 tokens read, about 105 written',
  ],
])('%j: %s', (usage, words) => expect(usageWords(usage)).toBe(words));
