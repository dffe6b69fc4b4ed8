import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import * as keptConversations from '../../../src/db/migrations/0012-conversations.ts';
import * as firstMessages from '../../../src/db/migrations/0013-first-messages.ts';
import * as lastTurns from '../../../src/db/migrations/0014-last-turns.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { describeConversations } from '../support/conversations-contract.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
const ask = (turnId: string, conversationId: string, content: string, projectId = 'p') =>
  createTurnRepository(database.db).insert(
    turnInput(turnId, { conversationId, content, projectId }),
    'hash',
    userMessage,
  );
beforeAll(async () => {
  database = await createTestDatabase();
  const turns = createTurnRepository(database.db);
  await ask('t1', 'one', 'First question of one');
  await turns.close(answered('t1', '0-1'));
  await ask('t2', 'two', 'x'.repeat(5_000));
  await ask('t3', 'one', 'Second question of one');
  await ask('t4', 'one', 'Of another project', 'q');
  await createMessageRepository(database.db).insertNote({
    requestId: 'n1',
    projectId: 'p',
    conversationId: 'notes',
    sender: 'system',
    content: 'a note',
    metadata: {},
  });
});
afterAll(() => database.close());

const repository = () => createConversationLists(database.db);

describeConversations('in Postgres', () => {
  const turns = createTurnRepository(database.db);
  return {
    conversations: repository(),
    start: ({ requestHash, turnId, ...turn }) => {
      const { model = 'fake', projectId, conversationId, content, mode, protocol } = turn;
      const input = turnInput(turnId, { model, projectId, conversationId, content, mode, protocol });
      return turns.insert(input, requestHash, userMessage);
    },
    end: async (turnId) => void (await turns.close(answered(turnId, '0-1'))),
  };
});

const window = { projectId: 'p', limit: 10, offset: 0 };

it('conversations come newest message first, with their first words and their newest turn', async () => {
  const { rows, hasMore } = await repository().listConversations(window);
  expect(hasMore).toBe(false);
  expect(rows.map(({ conversationId, lastTurn }) => ({ conversationId, lastTurn }))).toEqual([
    { conversationId: 'notes', lastTurn: null },
    { conversationId: 'one', lastTurn: { turnId: 't3', status: 'running' } },
    { conversationId: 'two', lastTurn: { turnId: 't2', status: 'running' } },
  ]);
  expect(rows.map(({ beginning }) => beginning)).toEqual([
    'a note',
    'First question of one',
    'x'.repeat(400),
  ]);
  const [, one] = rows;
  expect(Number(one?.updatedAt)).toBeGreaterThan(Number(one?.startedAt));
});

it('a page of conversations is read by index, however many messages and conversations there are', async () => {
  const { db } = database;
  for (const from of [1, 5_001, 10_001]) {
    await sql`
      insert into chat_messages (project_id, conversation_id, sender, content, metadata)
      select 'crowd', 'c' || (n % 5000), 'system', 'note ' || n, '{}'
      from generate_series(${from}::integer, ${from + 4_999}::integer) n`.execute(db);
  }
  await sql`analyze chat_messages, conversations`.execute(db);
  const asked = await db.transaction().execute(async (trx) => {
    const count = async () => {
      const { rows } = await sql<{ read: string }>`
        select coalesce(sum(coalesce(idx_tup_fetch, 0) + seq_tup_read), 0) as read
        from pg_stat_xact_user_tables where relname in ('chat_messages', 'conversations')`.execute(trx);
      return Number(rows[0]?.read);
    };
    const before = await count();
    const { rows, hasMore } = await createConversationLists(trx).listConversations({
      ...window,
      projectId: 'crowd',
    });
    return { rows, hasMore, tuples: (await count()) - before };
  });
  expect(asked.rows.map(({ beginning }) => beginning)).toEqual(
    Array.from({ length: 10 }, (_, i) => `note ${5000 - i}`),
  );
  expect(asked.hasMore).toBe(true);
  // These are 11 conversations, the first and newest message of each, and a few rows for the planner; a scan would read
  // 15,000.
  expect(asked.tuples).toBeLessThan(50);
});

it('turns come newest first, of the project or of one conversation', async () => {
  const { rows } = await repository().listTurns(window);
  expect(rows.map(({ turnId, status, beginning }) => [turnId, status, beginning.slice(0, 6)])).toEqual([
    ['t3', 'running', 'Second'],
    ['t2', 'running', 'xxxxxx'],
    ['t1', 'completed', 'First '],
  ]);
  const ofTwo = await repository().listTurns({ ...window, conversationId: 'two' });
  expect(ofTwo.rows.map(({ turnId }) => turnId)).toEqual(['t2']);
});

it('a page says whether there is more', async () => {
  const first = await repository().listTurns({ ...window, limit: 2 });
  expect([first.rows.length, first.hasMore]).toEqual([2, true]);
  const rest = await repository().listTurns({ ...window, limit: 2, offset: 2 });
  expect([rest.rows.length, rest.hasMore]).toEqual([1, false]);
  expect((await repository().listConversations({ ...window, limit: 2 })).hasMore).toBe(true);
});

it('the first person who cancels a running turn is recorded, and nobody once it has ended', async () => {
  const turns = createTurnRepository(database.db);
  await turns.recordCanceller('t2', 'ada');
  await turns.recordCanceller('t2', 'bob');
  await turns.recordCanceller('t1', 'ada');
  expect((await turns.find('t2'))?.cancelledBy).toBe('ada');
  expect((await turns.find('t1'))?.cancelledBy).toBeNull();
});

const bring = ({ up }: Migration) => database.db.transaction().execute((trx) => up(trx));

it('conversations from before the table of conversations are added to it with what was said in them', async () => {
  const { db } = database;
  const { rows: before } = await repository().listConversations(window);
  await sql`drop function follow_conversations cascade`.execute(db);
  await sql`drop table conversations`.execute(db);
  for (const migration of [keptConversations, firstMessages, lastTurns]) await bring(migration);
  await sql`alter table conversations add column title text, add column cost bigint`.execute(db);
  await sql`alter table conversations add column wasted_cost bigint not null default 0`.execute(db);
  const { rows: after } = await repository().listConversations(window);
  // No cost is known for turns of earlier versions.
  expect(after).toEqual(before.map((row) => ({ ...row, cost: null })));
  expect(after.find(({ conversationId }) => conversationId === 'one')?.lastTurn?.turnId).toBe('t3');
});

/** Takes the next id now, as an insert does first of all; returns a function that inserts a row with this id. */
const slowWriter = async (conversationId: string, turnId: string | null = null) => {
  const writer = database.openAnother();
  const { rows } = await sql<{ id: string }>`
    select nextval(pg_get_serial_sequence('chat_messages', 'id')) as id`.execute(writer);
  return () =>
    sql`
      insert into chat_messages (id, turn_id, project_id, conversation_id, sender, content, metadata)
      overriding system value
      values (${rows[0]?.id}, ${turnId}, 'race', ${conversationId}, 'system', 'older', '{}')`.execute(writer);
};

const raced = async (conversationId: string) => {
  const { rows } = await repository().listConversations({ ...window, projectId: 'race' });
  return rows.find((row) => row.conversationId === conversationId);
};

const sayNewer = (conversationId: string) =>
  createMessageRepository(database.openAnother()).insertNote({
    requestId: `newer in ${conversationId}`,
    projectId: 'race',
    conversationId,
    sender: 'system',
    content: 'newer',
    metadata: {},
  });

it('a conversation begins with its oldest message, whichever of two writers comes first', async () => {
  const insertOlder = await slowWriter('raced');
  await sayNewer('raced');
  expect((await raced('raced'))?.beginning).toBe('newer');
  await insertOlder();
  expect((await raced('raced'))?.beginning).toBe('older');
});

it('its newest turn is that of its newest message that has one, whichever of two writers comes first', async () => {
  for (const turnId of ['older', 'only']) await ask(turnId, `of ${turnId}`, 'elsewhere', 'race');
  const insertOlder = await slowWriter('turns', 'older');
  await ask('newer', 'turns', 'newer', 'race');
  await insertOlder();
  expect((await raced('turns'))?.lastTurn?.turnId).toBe('newer');
  const insertOnly = await slowWriter('notes', 'only');
  await sayNewer('notes');
  await insertOnly();
  expect((await raced('notes'))?.lastTurn?.turnId).toBe('only');
});

/** Runs the migration on a database of the previous version. */
const bringLastTurns = async () => {
  await sql`alter table conversations drop column last_turn_message_id`.execute(database.db);
  await bring(lastTurns);
};

it('conversations that stored a later message as their first are repaired, and no others', async () => {
  const { db } = database;
  const firsts = async () => {
    const { rows } = await sql<{ key: string; first: string; version: string }>`
      select project_id || '/' || conversation_id as key, first_message_id as first, xmin::text as version
      from conversations order by project_id, conversation_id`.execute(db);
    return rows;
  };
  const firstOf = ({ key, first }: { key: string; first: string }) => `${key} ${first}`;
  const before = await firsts();
  await sql`
    update conversations set first_message_id = last_message_id
    where project_id = 'p' or conversation_id = 'c4999'`.execute(db);
  const harmed = await firsts();
  await bring(firstMessages);
  const after = await firsts();
  expect(after.map(firstOf)).toEqual(before.map(firstOf));
  const touched = after.filter(({ version }, i) => version !== harmed[i]?.version);
  expect(touched.map(({ key }) => key).toSorted()).toEqual(['crowd/c4999', 'p/one']);
  await bringLastTurns();
});

it('conversations that stored an earlier turn as their newest are repaired', async () => {
  const { db } = database;
  const newestTurns = async () =>
    (await repository().listConversations(window)).rows.map(({ conversationId, lastTurn }) => [
      conversationId,
      lastTurn?.turnId,
    ]);
  const before = await newestTurns();
  await sql`
    update conversations set last_turn_id = 't1'
    where project_id = 'p' and conversation_id = 'one'`.execute(db);
  await bringLastTurns();
  expect(await newestTurns()).toEqual(before);
});
