import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import type { NewTurn } from '../../../src/gateway/ports/new-turn.ts';
import { newTurn } from '../../gateway/support/turn-starter-contract.ts';

/** The lists of turns, and the means to put turns on them. */
export interface ListsUnderContract {
  readonly conversations: ConversationLists;
  start(turn: NewTurn): Promise<unknown>;
  /** Ends a turn as its workflow does. */
  end(turnId: string): Promise<void>;
}

/** Describes what the routes of lists rely on; `open` is called once. */
export const describeConversations = (name: string, open: () => ListsUnderContract): void => {
  describe(`lists of conversations and turns: ${name}`, () => {
    const projectId = randomUUID();
    const window = { projectId, limit: 10, offset: 0 };
    let lists: ListsUnderContract;
    const ask = (turnId: string, fields: Partial<NewTurn>) =>
      lists.start(newTurn({ turnId: `${projectId}-${turnId}`, projectId, ...fields }));
    const short = (turnId: string | undefined) => turnId?.replace(`${projectId}-`, '');

    beforeAll(async () => {
      lists = open();
      await ask('t1', { conversationId: 'one', content: 'First question', model: 'large' });
      await lists.end(`${projectId}-t1`);
      await ask('t2', { conversationId: 'two', content: 'x'.repeat(5_000), mode: 'plan' });
      await ask('t3', { conversationId: 'one', content: 'Second question', protocol: 'standard' });
      await ask('t4', { conversationId: 'one', projectId: randomUUID() });
    });

    it('have each conversation once, by its first words, with its newest turn, newest first', async () => {
      const { rows, hasMore } = await lists.conversations.listConversations(window);
      expect(hasMore).toBe(false);
      expect(rows).toMatchObject([
        { conversationId: 'one', beginning: 'First question', lastTurn: { status: 'running' } },
        { conversationId: 'two', beginning: 'x'.repeat(400), lastTurn: { status: 'running' } },
      ]);
      expect(rows.map(({ lastTurn }) => short(lastTurn?.turnId))).toEqual(['t3', 't2']);
      for (const { startedAt, updatedAt } of rows) {
        expect(updatedAt.getTime()).toBeGreaterThanOrEqual(startedAt.getTime());
      }
    });

    it('find conversations whose first words contain a text, whatever its case', async () => {
      const found = async (search: string) => {
        const { rows } = await lists.conversations.listConversations({ ...window, search });
        return rows.map(({ conversationId }) => conversationId);
      };
      expect(await found('first QUEST')).toEqual(['one']);
      expect(await found('x')).toEqual(['two']);
      for (const text of ['second', '%', '_', '\\', "'"]) expect(await found(text)).toEqual([]);
    });

    it('have turns newest first, of the project or of one conversation', async () => {
      const { rows, hasMore } = await lists.conversations.listTurns(window);
      expect(hasMore).toBe(false);
      expect(rows.map(({ turnId }) => short(turnId))).toEqual(['t3', 't2', 't1']);
      expect(rows).toMatchObject([
        {
          beginning: 'Second question',
          status: 'running',
          protocol: 'standard',
          endedAt: null,
          reason: null,
        },
        { beginning: 'x'.repeat(400), mode: 'plan' },
        { status: 'completed', reason: 'answered', model: 'large', endedAt: expect.any(Date) },
      ]);
      const ofTwo = await lists.conversations.listTurns({ ...window, conversationId: 'two' });
      expect(ofTwo.rows.map(({ turnId }) => short(turnId))).toEqual(['t2']);
    });

    it('are cut at their limit, and say whether there is more', async () => {
      const page = async (limit: number, offset: number) => {
        const { rows, hasMore } = await lists.conversations.listTurns({ ...window, limit, offset });
        return [rows.map(({ turnId }) => short(turnId)).join(' '), hasMore];
      };
      expect([await page(2, 0), await page(2, 1), await page(2, 2), await page(2, 9)]).toEqual([
        ['t3 t2', true],
        ['t2 t1', false],
        ['t1', false],
        ['', false],
      ]);
      const conversations = await lists.conversations.listConversations({ ...window, limit: 1 });
      expect([conversations.rows.length, conversations.hasMore]).toEqual([1, true]);
    });
  });
};
