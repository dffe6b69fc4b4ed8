import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ConversationRepository } from '../../../src/db/conversations/conversation-repository.ts';
import type { NewTurn } from '../../../src/gateway/ports/new-turn.ts';
import { newTurn } from '../../gateway/support/turn-starter-contract.ts';

/** Conversations to open and to change, and the means to have turns in them. */
export interface ConversationsUnderContract {
  readonly conversations: ConversationRepository;
  start(turn: NewTurn): Promise<unknown>;
  /** Ends a turn as its workflow does. */
  end(turnId: string): Promise<void>;
}

/** Describes what the routes of one conversation rely on. `open` is called once in each test. */
export const describeConversationRepository = (
  name: string,
  open: () => ConversationsUnderContract,
): void => {
  const page = { limit: 10, offset: 0 };
  /** Opens the repository and plays turns in one conversation, one after another; the last of them goes on. */
  const talk = async (...turns: readonly Partial<NewTurn>[]) => {
    const { conversations, start, end } = open();
    const key = { projectId: randomUUID(), conversationId: randomUUID() };
    const ids: string[] = [];
    for (const fields of turns) {
      for (const id of ids.slice(-1)) await end(id);
      const turn = newTurn({ ...key, ...fields });
      await start(turn);
      ids.push(turn.turnId);
    }
    return { conversations, start, end, key, ids };
  };

  describe(`one conversation: ${name}`, () => {
    it('has its turns, oldest first, with the beginnings of their messages', async () => {
      const { conversations, key, ids } = await talk({ content: 'First' }, { content: 'x'.repeat(5_000) });
      const opened = await conversations.open(key, page);
      expect(opened).toMatchObject({ title: null, beginning: 'First', hasMore: false });
      expect(opened?.turns).toMatchObject([
        { turnId: ids[0], status: 'completed', beginning: 'First', endedAt: expect.any(Date) },
        { turnId: ids[1], status: 'running', beginning: 'x'.repeat(400), endedAt: null },
      ]);
      expect(await conversations.open({ ...key, conversationId: 'unknown' }, page)).toBeUndefined();
    });

    it('says which turn each one continues: the newest, the one that is named, or none', async () => {
      const { conversations, start, end, key, ids } = await talk({}, {});
      await end(ids[1] ?? '');
      const branch = newTurn({ ...key, parentTurnId: ids[0] ?? '' });
      await start(branch);
      await end(branch.turnId);
      await start(newTurn({ ...key, parentTurnId: null }));
      const opened = await conversations.open(key, page);
      expect(opened?.turns.map(({ parentTurnId }) => parentTurnId)).toEqual([null, ids[0], ids[0], null]);
    });

    it('comes in pages, each of which says whether more follow', async () => {
      const { conversations, key, ids } = await talk({}, {}, {});
      const first = await conversations.open(key, { limit: 2, offset: 0 });
      expect([first?.turns.map(({ turnId }) => turnId), first?.hasMore]).toEqual([ids.slice(0, 2), true]);
      const rest = await conversations.open(key, { limit: 2, offset: 2 });
      expect([rest?.turns.map(({ turnId }) => turnId), rest?.hasMore]).toEqual([ids.slice(2), false]);
    });

    it('gets a title, unless it is unknown', async () => {
      const { conversations, key } = await talk({});
      expect(await conversations.rename(key, 'Release')).toBe(true);
      expect(await conversations.open(key, page)).toMatchObject({ title: 'Release' });
      expect(await conversations.rename({ ...key, projectId: 'unknown' }, 'Release')).toBe(false);
    });

    it('is removed once its last turn has ended', async () => {
      const { conversations, end, key, ids } = await talk({}, {});
      expect(await conversations.remove(key)).toEqual({ kind: 'busy', turnId: ids[1] });
      await end(ids[1] ?? '');
      expect(await conversations.remove(key)).toEqual({ kind: 'removed' });
      expect(await conversations.open(key, page)).toBeUndefined();
      expect(await conversations.remove(key)).toEqual({ kind: 'unknown' });
    });
  });
};
