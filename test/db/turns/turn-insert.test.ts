import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConversationRepository } from '../../../src/db/conversations/conversation-repository.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { describeTurnRows } from '../support/turn-rows-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const repository = () => createTurnRepository(database.db);
const insert = (...args: Parameters<typeof turnInput>) =>
  repository().insert(turnInput(...args), 'hash', userMessage);

const messagesOf = async (conversationId: string) =>
  (
    await createMessageRepository(database.db).list({
      projectId: 'project',
      conversationId,
      limit: 100,
      offset: 0,
    })
  ).messages;

describeTurnRows('in Postgres', () => ({
  turns: repository(),
  remove: ({ projectId, conversationId }) =>
    createConversationRepository(database.db).remove({ projectId, conversationId }),
}));

describe('insert', () => {
  it('stores the row with its start input, and the user message', async () => {
    const input = turnInput('first');
    const { kind, row } = await repository().insert(input, 'hash', userMessage);
    expect(kind).toBe('inserted');
    expect(row).toMatchObject({
      turnId: 'first',
      status: 'running',
      requestHash: 'hash',
      input,
      terminal: null,
    });
    expect(await repository().find('first')).toEqual(row);
    expect(await messagesOf('of-first')).toMatchObject([
      { turnId: 'first', sender: 'user', content: 'What does README.md say?', createdAt: row.startedAt },
    ]);
  });

  it("keeps the tools of the client in the turn's row, and out of its start input", async () => {
    const clientTools = [{ name: 'a', description: 'x\0', parameters: {}, effect: 'write' as const }];
    await repository().insert(turnInput('tools'), 'hash', { ...userMessage, clientTools });
    const row = await repository().find('tools');
    expect(row?.clientTools).toEqual(clientTools);
    expect(row?.input).toEqual(turnInput('tools'));
    await insert('no-tools');
    expect((await repository().find('no-tools'))?.clientTools).toEqual([]);
  });

  it('keeps keys of the server in the metadata, whatever the client sends', async () => {
    const metadata = { requestId: 'forged', mode: 'plan', color: 'red\0', __proto__: null };
    await repository().insert(turnInput('meta'), 'hash', { sender: 'user', metadata });
    const [message] = await messagesOf('of-meta');
    expect(message?.metadata).toEqual({
      requestId: 'meta',
      mode: 'act',
      protocol: 'two_stage',
      color: 'red\0',
    });
  });

  it('takes text that Postgres cannot hold: exact in the start input, made safe in the message', async () => {
    const content = 'a\0b \ud800 c 😀';
    await insert('hostile', { content });
    expect((await repository().find('hostile'))?.input.content).toBe(content);
    expect((await messagesOf('of-hostile'))[0]?.content).toBe('a\uFFFDb \uFFFD c 😀');
  });

  it('answers a repeat with the stored row, also after the turn has ended', async () => {
    const { row } = await insert('repeat');
    expect(await insert('repeat')).toEqual({ kind: 'exists', row });
    await repository().close(answered('repeat', '0-1'));
    expect(await insert('repeat')).toMatchObject({ kind: 'exists', row: { status: 'completed' } });
    expect(await messagesOf('of-repeat')).toHaveLength(2);
  });
});

describe('insert under contention', () => {
  it('the same id 50 times over two processes is one row, one message and 49 repeats', async () => {
    const other = createTurnRepository(database.openAnother());
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? other : repository()).insert(turnInput('same'), 'hash', userMessage),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'exists')).toHaveLength(49);
    expect(await messagesOf('of-same')).toHaveLength(1);
  });

  it('50 ids in one conversation: one runs, the others are told which', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => insert(`rival-${i}`, { conversationId: 'contested' })),
    );
    const winner = outcomes.find(({ kind }) => kind === 'inserted')?.row.turnId;
    const busy = outcomes.filter(({ kind }) => kind === 'busy');
    expect(busy).toHaveLength(49);
    expect(new Set(busy.map(({ row }) => row.turnId))).toEqual(new Set([winner]));
    expect(await messagesOf('contested')).toHaveLength(1);
  });

  it('turns that begin and end while others try: every id ends inserted, never two at a time', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `relay-${i}`);
    await Promise.all(
      ids.map(async (id) => {
        while ((await insert(id, { conversationId: 'relay' })).kind === 'busy');
        await repository().close(answered(id, '0-1'));
      }),
    );
    const senders = (await messagesOf('relay')).map(({ sender, turnId }) => `${sender} ${turnId}`).reverse();
    expect(senders).toHaveLength(24);
    for (let i = 0; i < 24; i += 2) expect(senders[i]?.slice(5)).toBe(senders[i + 1]?.slice(6));
  });
});
