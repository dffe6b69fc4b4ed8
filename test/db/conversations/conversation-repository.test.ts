import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import { createConversationRepository } from '../../../src/db/conversations/conversation-repository.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createTranscriptRepository } from '../../../src/db/conversations/transcript-repository.ts';
import { createToolLedgerRepository } from '../../../src/db/turns/tool-ledger-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { describeConversationRepository } from '../support/conversation-repository-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, opening, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const store = () => createConversationRepository(database.db);
const turns = () => createTurnRepository(database.db);
const page = { limit: 100, offset: 0 };
const key = (conversationId: string) => ({ projectId: 'project', conversationId });

const start = (turnId: string, conversationId: string, parentTurnId?: string | null) =>
  turns().insert(turnInput(turnId, { conversationId, content: `ask ${turnId}` }), 'hash', {
    ...userMessage,
    ...(parentTurnId !== undefined && { parentTurnId }),
  });
const play = async (turnId: string, conversationId: string, parentTurnId?: string | null): Promise<void> => {
  await start(turnId, conversationId, parentTurnId);
  await turns().close(answered(turnId, '101-2', { ownEvents: [opening, attempt(1, `said ${turnId}`)] }));
};

describeConversationRepository('in Postgres', () => ({
  conversations: store(),
  start: ({ requestHash, turnId, parentTurnId, ...turn }) => {
    const { projectId, conversationId, content } = turn;
    const message = { ...userMessage, ...(parentTurnId !== undefined && { parentTurnId }) };
    return turns().insert(turnInput(turnId, { projectId, conversationId, content }), requestHash, message);
  },
  end: async (turnId) => void (await turns().close(answered(turnId, '0-1'))),
}));

describe('branches', () => {
  /** Plays a tree of turns, `<name>-1` to `<name>-5`, in the conversation with this name. */
  const playTree = async (name: string): Promise<void> => {
    await play(`${name}-1`, name);
    await play(`${name}-2`, name);
    await play(`${name}-3`, name, `${name}-1`);
    await play(`${name}-4`, name);
    await play(`${name}-5`, name, null);
  };

  it('continue the newest turn, the one that is named, or none', async () => {
    await playTree('tree');
    const opened = await store().open(key('tree'), page);
    expect(opened?.turns.map(({ turnId, parentTurnId }) => [turnId, parentTurnId])).toEqual([
      ['tree-1', null],
      ['tree-2', 'tree-1'],
      ['tree-3', 'tree-1'],
      ['tree-4', 'tree-3'],
      ['tree-5', null],
    ]);
    expect(opened).toMatchObject({ title: null, beginning: 'ask tree-1', hasMore: false });
  });

  it('contain the turns of their own chain', async () => {
    await playTree('chain');
    const { turns: earlier } = await createTranscriptRepository(database.db).load('chain-4', 'chain-1', null);
    expect(earlier.map(({ turnId }) => turnId)).toEqual(['chain-1', 'chain-3']);
    expect((await createTranscriptRepository(database.db).loadBranch('chain-5')).turns).toEqual([]);
  });

  it('learn once which files were changed on the branch that they leave', async () => {
    await play('f1', 'files');
    await start('f2', 'files');
    const ledger = createToolLedgerRepository(database.db);
    const place = { turnId: 'f2', phaseIndex: 1, position: 0 };
    await ledger.begin(place, { toolName: 'x', arguments: '{}' });
    const after = { sha256: 'a'.repeat(64), bytes: 1 };
    await ledger.planWrite(place, 1, { path: 'src/a.ts', targetKey: 'src/a.ts', before: null, after });
    await turns().close(answered('f2', '0-1'));
    await play('f3', 'files', 'f1');
    await play('f4', 'files');
    const left = async (turnId: string) =>
      (await createTranscriptRepository(database.db).loadBranch(turnId)).otherBranchFiles;
    expect([await left('f1'), await left('f3'), await left('f4')]).toEqual([null, ['src/a.ts'], null]);
  });
});

describe('a title', () => {
  it('is in lists until it is replaced; an unknown conversation has none', async () => {
    await play('t1', 'titled');
    expect(await store().rename(key('titled'), 'Release')).toBe(true);
    await play('t2', 'titled');
    const { rows } = await createConversationLists(database.db).listConversations({
      projectId: 'project',
      ...page,
    });
    expect(rows.find(({ conversationId }) => conversationId === 'titled')).toMatchObject({
      title: 'Release',
    });
    const found = async (search: string) =>
      (
        await createConversationLists(database.db).listConversations({
          projectId: 'project',
          ...page,
          search,
        })
      ).rows.map(({ conversationId }) => conversationId);
    expect(await found('rELEASE')).toEqual(['titled']);
    expect(await store().rename(key('nowhere'), 'x')).toBe(false);
    expect(await store().rename({ projectId: 'other', conversationId: 'titled' }, 'x')).toBe(false);
    expect(await store().open(key('nowhere'), page)).toBeUndefined();
  });
});

describe('a conversation that is removed', () => {
  /** The tables that keep rows of removed turns: ids, times, usage and costs. */
  const STAYING: readonly string[] = ['turns', 'call_spend'];
  const rowsOf = async (turnId: string): Promise<number> => {
    const { rows: columns } = await sql<{ table: string }>`
      select table_name as "table" from information_schema.columns
      where column_name = 'turn_id' and table_schema = 'public'`.execute(database.db);
    const parts = columns.map(({ table }) => table).filter((table) => !STAYING.includes(table));
    const counts = await Promise.all(
      parts.map((table) =>
        sql<{ n: number }>`
          select count(*)::integer as n from ${sql.table(table)} where turn_id = ${turnId}`.execute(
          database.db,
        ),
      ),
    );
    return counts.reduce((sum, { rows }) => sum + (rows[0]?.n ?? 0), 0);
  };

  const writeSession = (turnId: string, state: 'open' | 'ended') =>
    sql`
      insert into write_sessions (session_id, project_id, turn_id, target_file, target_key, operation, start_input,
        slot, state, ended_at)
      values (${turnId}, 'project', ${turnId}, 'a.md', ${turnId}, 'create', '{"intent":"said"}', 0, ${state},
        ${state === 'ended' ? sql`now()` : null})`.execute(database.db);

  it('leaves the ids, times and usage of its turns, and nothing of what was said', async () => {
    await play('r1', 'gone');
    await writeSession('r1', 'ended');
    await play('kept', 'stays');
    expect(await rowsOf('r1')).toBeGreaterThan(0);
    expect(await store().remove(key('gone'))).toEqual({ kind: 'removed' });
    expect(await rowsOf('r1')).toBe(0);
    expect(await rowsOf('kept')).toBeGreaterThan(0);
    expect(await turns().find('r1')).toBeUndefined();
    const { rows } = await sql<{ row: string; usage: unknown }>`
      select turns::text as row, usage from turns where turn_id = 'r1'`.execute(database.db);
    expect(rows[0]?.usage).toMatchObject({ promptTokens: 10 });
    expect(rows[0]?.row).not.toMatch(/ask r1|said r1/);
    expect(await store().remove(key('gone'))).toEqual({ kind: 'unknown' });
  });

  it('leaves the lock of a write session that is open', async () => {
    await play('r5', 'writes');
    await writeSession('r5', 'open');
    expect(await store().remove(key('writes'))).toEqual({ kind: 'removed' });
    expect(await rowsOf('r5')).toBe(1);
  });

  it('stays while a turn runs in it', async () => {
    await start('r2', 'busy');
    expect(await store().remove(key('busy'))).toEqual({ kind: 'busy', turnId: 'r2' });
    expect(await rowsOf('r2')).toBe(1);
  });

  it('frees its name, not the ids of its turns', async () => {
    await play('r3', 'again');
    await store().remove(key('again'));
    expect((await start('r3', 'again')).kind).toBe('exists');
    expect((await turns().insert(turnInput('r3'), 'hash', userMessage)).row.requestHash).not.toBe('hash');
    await play('r4', 'again');
    expect((await store().open(key('again'), page))?.turns).toMatchObject([
      { turnId: 'r4', parentTurnId: null },
    ]);
  });

  it('and a turn that begins meanwhile come one after the other, and nothing is lost', async () => {
    for (let i = 0; i < 20; i += 1) {
      const conversationId = `race${i}`;
      await play(`${conversationId}-1`, conversationId);
      const [removed, begun] = await Promise.all([
        store().remove(key(conversationId)),
        start(`${conversationId}-2`, conversationId),
      ]);
      expect(begun.kind).toBe('inserted');
      const { messages } = await createMessageRepository(database.db).list({
        ...key(conversationId),
        ...page,
      });
      const listed = await store().open(key(conversationId), page);
      const ids = listed?.turns.map(({ turnId }) => turnId);
      expect(messages.map(({ turnId }) => turnId)).toContain(`${conversationId}-2`);
      expect(ids).toContain(`${conversationId}-2`);
      expect(ids).toHaveLength(removed.kind === 'removed' ? 1 : 2);
    }
  });
});
