import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { describeMessageRepository } from '../support/message-repository-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, opening, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const messages = () => createMessageRepository(database.db);

const runTurn = async (turnId: string, conversationId: string, content: string, reply: string | null) => {
  const turns = createTurnRepository(database.db);
  await turns.insert(turnInput(turnId, { conversationId, content }), 'hash', userMessage);
  if (reply === null) return;
  const said = reply === '' ? [] : [attempt(1, reply)];
  await turns.close(answered(turnId, reply ? '101-2' : '0-1', { ownEvents: [opening, ...said] }));
};

const note = (
  requestId: string,
  fields: { projectId?: string; conversationId?: string; content?: string } = {},
) => ({
  requestId,
  projectId: 'notes',
  conversationId: 'main',
  sender: 'system' as const,
  content: 'remember',
  metadata: { requestId: 'forged', kept: 1 },
  ...fields,
});

describeMessageRepository('in Postgres', messages);

describe('list', () => {
  it('is newest first; the reply of a turn comes after its question', async () => {
    await runTurn('l1', 'list', 'one', 'uno');
    await runTurn('l2', 'list', 'two', 'due');
    await runTurn('l3', 'other', 'three', 'tre');
    const page = await messages().list({
      projectId: 'project',
      conversationId: 'list',
      limit: 3,
      offset: 0,
    });
    expect(page.messages.map(({ content }) => content)).toEqual(['due', 'two', 'uno']);
    expect(page.total).toBe(4);
    expect(page.messages.map(({ parentTurnId }) => parentTurnId)).toEqual(['l1', 'l1', null]);
    const rest = await messages().list({
      projectId: 'project',
      conversationId: 'list',
      limit: 3,
      offset: 3,
    });
    expect(rest).toMatchObject({ messages: [{ content: 'one', turnId: 'l1', sender: 'user' }], total: 4 });
  });

  it('has the turns of a branch and the messages of no turn, and counts them', async () => {
    const conversationId = 'tree';
    await runTurn('b1', conversationId, 'one', 'uno');
    await runTurn('b2', conversationId, 'two', 'due');
    const turns = createTurnRepository(database.db);
    await turns.insert(turnInput('b3', { conversationId, content: 'three' }), 'hash', {
      ...userMessage,
      parentTurnId: 'b1',
    });
    await messages().insertNote(note('tree note', { projectId: 'project', conversationId }));
    const branch = async (leaf: string) => {
      const page = await messages().list({ projectId: 'project', conversationId, leaf, limit: 9, offset: 0 });
      expect(page.total).toBe(page.messages.length);
      return page.messages.map(({ content }) => content);
    };
    expect(await branch('b3')).toEqual(['remember', 'three', 'uno', 'one']);
    expect(await branch('b2')).toEqual(['remember', 'due', 'two', 'uno', 'one']);
  });

  it('is cut where its text is too long for one page, and the next page continues there', async () => {
    const sizes = [10, 400_000, 1, 600_000, 100, 2_000_000, 7, 1_048_000];
    for (const [i, size] of sizes.entries()) {
      await messages().insertNote(note(`big${i}`, { projectId: 'big', content: 'é'.repeat(size / 2) + 'x' }));
    }
    const seen: number[] = [];
    for (let offset = 0; offset < sizes.length;) {
      const page = await messages().list({ projectId: 'big', limit: 100, offset });
      expect(page.total).toBe(sizes.length);
      expect(page.messages.length).toBeGreaterThan(0);
      const lengths = page.messages.map(({ content }) => Buffer.byteLength(content) - 1);
      if (lengths.length > 1) expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(1024 * 1024);
      seen.push(...lengths);
      offset += lengths.length;
    }
    expect(seen).toEqual(sizes.toReversed().map((size) => (size === 1 || size === 7 ? size - 1 : size)));
  });

  it('without a conversation is the whole project, and no other with a similar name', async () => {
    const all = await messages().list({ projectId: 'project', limit: 100, offset: 0 });
    expect(all.total).toBeGreaterThan(4);
    for (const projectId of ['proj', 'PROJECT', 'project%', 'project2']) {
      expect((await messages().list({ projectId, limit: 100, offset: 0 })).total).toBe(0);
    }
  });
});

it.each(["' or '1'='1", "x'; drop table chat_messages; --", '$1', '%', '\\\\', '"; select 1; --'])(
  'a text that is SQL is a text: %j',
  async (evil) => {
    const list = (projectId: string, conversationId?: string) =>
      messages().list({ projectId, conversationId, limit: 100, offset: 0 });
    expect((await list(evil)).total).toBe(0);
    const said = { ...note(evil, { projectId: evil, content: evil }), conversationId: evil };
    expect((await messages().insertNote(said)).kind).toBe('inserted');
    for (const page of [await list(evil), await list(evil, evil)]) {
      expect(page.messages.map(({ content }) => content)).toEqual([evil]);
      expect(page.total).toBe(1);
    }
    expect((await list('notes', evil)).total).toBe(0);
    expect(await messages().findNote(evil, evil)).toMatchObject({ conversationId: evil });
    const other = createConversationLists(database.db);
    expect((await other.listConversations({ projectId: evil, limit: 9, offset: 0 })).rows).toHaveLength(1);
    expect(
      (await other.listTurns({ projectId: evil, conversationId: evil, limit: 9, offset: 0 })).rows,
    ).toEqual([]);
  },
);

describe('notes', () => {
  it('are stored once per key and project, also for 20 at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => messages().insertNote(note('n1'))));
    expect(outcomes.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
    expect(new Set(outcomes.map(({ message }) => message.id)).size).toBe(1);
    expect(outcomes[0]?.message).toMatchObject({
      turnId: null,
      sender: 'system',
      metadata: { requestId: 'n1', kept: 1 },
    });
    const elsewhere = await messages().insertNote(note('n1', { projectId: 'notes-2', content: 'a\0b' }));
    expect(elsewhere).toMatchObject({ kind: 'inserted', message: { content: 'a\uFFFDb' } });
  });

  it('with the key of a turn do not take the place of its reply', async () => {
    await runTurn('h-note', 'beside', 'question', null);
    await messages().insertNote({ ...note('h-note', { projectId: 'project' }), sender: 'orion' });
    await runTurn('h-note-2', 'beside-2', 'next', 'answer');
    await createTurnRepository(database.db).close(answered('h-note', '0-1'));
    const { total } = await messages().list({
      projectId: 'project',
      conversationId: 'beside',
      limit: 10,
      offset: 0,
    });
    expect(total).toBe(2);
  });
});

describe('with 10,000 messages in one conversation and many others', () => {
  beforeAll(async () => {
    await sql`
      insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, protocol, mode, model)
      values ('crowd', 'crowded', 'main', 'h', '{}', 'standard', 'act', 'm')`.execute(database.db);
    await sql`
      insert into chat_messages (project_id, conversation_id, sender, content, metadata)
      select case when n % 2 = 0 then 'crowded' else 'p' || n % 50 end, 'main', 'orion', 'message ' || n, '{}'
      from generate_series(1, 20000) n`.execute(database.db);
    await sql`
      insert into chat_messages (turn_id, project_id, conversation_id, sender, content, metadata)
      values ('crowd', 'crowded', 'main', 'user', 'now', '{}')`.execute(database.db);
    await sql`analyze chat_messages`.execute(database.db);
  });

  const plan = async (statement: string) => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(statement)}`.execute(database.db);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it('a page is read along an index, without sorting', async () => {
    const page = await plan(
      `select * from chat_messages where project_id = 'crowded' order by id desc limit 50`,
    );
    expect(page).toMatch(/Index Scan/);
    expect(page).not.toMatch(/Seq Scan|Sort/);
  });

  it('answers a page far from its beginning', async () => {
    const { messages: page, total } = await messages().list({
      projectId: 'crowded',
      conversationId: 'main',
      limit: 100,
      offset: 9_000,
    });
    expect(total).toBe(10_001);
    expect(page).toHaveLength(100);
  });
});
