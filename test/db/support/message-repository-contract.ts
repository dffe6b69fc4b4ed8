import { describe, expect, it } from '@jest/globals';
import type { MessageRepository } from '../../../src/db/conversations/message-repository.ts';

const note = (
  requestId: string,
  fields: { projectId?: string; conversationId?: string; content?: string } = {},
) => ({
  requestId,
  projectId: 'contract',
  conversationId: 'main',
  sender: 'system' as const,
  content: 'remember',
  metadata: { requestId: 'forged', kept: 1 },
  ...fields,
});

/** Describes what routes may rely on of a store of messages, which at first has none of project `contract`. */
export const describeMessageRepository = (name: string, open: () => MessageRepository): void => {
  describe(`a store of messages: ${name}`, () => {
    it('keeps the first note of a request id within its project, whose id wins over what the client sent', async () => {
      const store = open();
      const first = await store.insertNote(note('n1'));
      expect(first).toMatchObject({
        kind: 'inserted',
        message: { turnId: null, content: 'remember', metadata: { requestId: 'n1', kept: 1 } },
      });
      expect(await store.insertNote(note('n1', { content: 'else' }))).toEqual({
        kind: 'exists',
        message: first.message,
      });
      expect(await store.insertNote(note('n1', { projectId: 'contract 2' }))).toMatchObject({
        kind: 'inserted',
      });
    });

    it('lists newest first, a page of a project or of one of its conversations, and counts all that match', async () => {
      const store = open();
      const projectId = 'contract 3';
      for (const [requestId, conversationId] of [
        ['a', 'one'],
        ['b', 'two'],
        ['c', 'one'],
        ['d', 'one'],
      ] as const) {
        await store.insertNote(note(requestId, { projectId, conversationId, content: requestId }));
      }
      const page = async (limit: number, offset: number, conversationId?: string) => {
        const { messages, total } = await store.list({ projectId, conversationId, limit, offset });
        return [messages.map(({ content }) => content).join(''), total];
      };
      expect(await page(10, 0)).toEqual(['dcba', 4]);
      expect(await page(2, 1)).toEqual(['cb', 4]);
      expect(await page(2, 1, 'one')).toEqual(['ca', 3]);
      expect(await page(2, 9, 'one')).toEqual(['', 3]);
    });
  });
};
