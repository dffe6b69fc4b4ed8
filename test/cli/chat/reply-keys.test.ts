import { expect, it } from '@jest/globals';
import { replyKeysFor, replyLabels, replyMeantBy } from '../../../src/cli/chat/reply-keys.ts';
import type { ReplyName } from '../../../src/contracts/wire/input-events.ts';

const APPROVAL: readonly ReplyName[] = ['allow', 'allow_turn', 'edit', 'deny'];
const LIMIT: readonly ReplyName[] = ['keep_going', 'answer_now'];

it('offers only the keys of the replies that a request has', () => {
  expect(replyLabels(APPROVAL)).toBe('y allow · a allow all of this turn · e edit · n deny');
  expect(replyKeysFor(APPROVAL)).toEqual(['y', 'yes', 'a', 'always', 'e', 'edit', 'n', 'no']);
  expect(replyLabels(LIMIT)).toBe('y keep going · n answer now');
  expect(replyKeysFor(LIMIT)).toEqual(['y', 'yes', 'n', 'no']);
});

it.each<[typed: string, options: readonly ReplyName[], reply: ReplyName | undefined]>([
  ['y', APPROVAL, 'allow'],
  ['y', LIMIT, 'keep_going'],
  [' Always ', APPROVAL, 'allow_turn'],
  ['edit', APPROVAL, 'edit'],
  ['N', APPROVAL, 'deny'],
  ['no', LIMIT, 'answer_now'],
  ['a', LIMIT, undefined],
  ['yess', APPROVAL, undefined],
  ['', APPROVAL, undefined],
])('%j is the reply of its key, if the request has it', (line, options, reply) => {
  expect(replyMeantBy({ line }, options)).toBe(reply);
});

it('takes Escape for the reply that goes least far', () => {
  expect(replyMeantBy('escaped', APPROVAL)).toBe('deny');
  expect(replyMeantBy('escaped', LIMIT)).toBe('answer_now');
});
