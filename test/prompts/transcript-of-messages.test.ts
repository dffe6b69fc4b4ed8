import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { transcriptOfMessages } from '../../src/prompts/transcript-of-messages.ts';
import type { MessageOfTurn } from '../../src/db/conversations/transcript-repository.ts';

const message = (sender: MessageOfTurn['sender'], content: string, metadata = {}): MessageOfTurn => ({
  turnId: 't1',
  sender,
  content,
  metadata,
  steerId: null,
});
const user = (content: string) => message('user', content);
const orion = (content: string, metadata = {}) => message('orion', content, metadata);

const lines = (entries: readonly MessageOfTurn[]) =>
  transcriptOfMessages(entries).map(({ role, content }) => `${role}: ${content}`);

const entry = fc
  .tuple(fc.constantFrom<MessageOfTurn['sender']>('user', 'orion'), fc.string({ maxLength: 12 }))
  .map(([sender, content]) => message(sender, content));

describe('a turn without transcript', () => {
  it('is represented by its question and its reply', () => {
    expect(lines([user('one'), orion('uno')])).toEqual(['user: one', 'assistant: uno']);
    expect(lines([])).toEqual([]);
  });

  it('a turn that ended without a word is marked', () => {
    expect(lines([user('one'), orion('')])).toEqual(['user: one', 'assistant: [no answer]']);
    expect(lines([user('one')])).toEqual(['user: one', 'assistant: [no answer]']);
  });

  it('always alternates, ends with assistant, and holds every text in order', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
        const messages = transcriptOfMessages(entries);
        for (const [i, { role }] of messages.entries()) expect(role).not.toBe(messages[i - 1]?.role);
        expect(messages.at(-1)?.role ?? 'assistant').toBe('assistant');
        const text = messages.map(({ content }) => content).join('\n');
        let at = 0;
        for (const { content } of entries) {
          at = text.indexOf(content, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += content.length;
        }
      }),
    );
  });

  it('holds a line for each file of its reply, and believes no other metadata', () => {
    const content = 'I begin.\n\nLine 1\nDONE\nWritten.';
    const writeSessions = [{ from: 10, to: 22, line: '[wrote a: 1 line]' }];
    expect(lines([orion(content, { writeSessions })])).toEqual([
      'assistant: I begin.\n\n[wrote a: 1 line]Written.',
    ]);
    expect(lines([orion(content, { writeSessions: 'all' })])).toEqual([`assistant: ${content}`]);
  });
});
