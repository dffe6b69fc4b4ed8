import { expect, it } from '@jest/globals';
import { fallbackSentence, parseFallbackSentence } from '../../../src/contracts/wire/fallback-sentence.ts';
import { fallbackNotice } from '../../../src/protocol/turn/notices.ts';

it.each([
  { unavailable: 'one', model: 'two' },
  { unavailable: 'openai/a-b:1.5', model: 'c.d' },
])('the models %j can be read from their sentence, also inside of the notice', (fallback) => {
  expect(parseFallbackSentence(fallbackSentence(fallback))).toEqual(fallback);
  expect(parseFallbackSentence(fallbackNotice(fallback.unavailable, fallback.model).chunk)).toEqual(fallback);
});

it('a text without such a sentence names no models', () => {
  expect(parseFallbackSentence('The model one is busy.')).toBeUndefined();
});
