/** Tests that earlier turns are found by words, in a real Postgres. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { createRecallRepository } from '../../../src/db/conversations/recall-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createSearchConversationTool } from '../../../src/tools/search/search-conversation.ts';
import { partOf } from '../../support/part-of.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { logLine } from '../../support/test-log.ts';
import { answered, attempt, opening, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

interface Said {
  readonly ask: string;
  readonly answer?: string;
  /** The result of a tool that read a file. */
  readonly result?: string;
  readonly parentTurnId?: string;
  readonly projectId?: string;
}

const play = async (turnId: string, conversationId: string, said: Said): Promise<void> => {
  const { ask, answer = 'Done.', result, parentTurnId, projectId = 'project' } = said;
  const turns = createTurnRepository(database.db);
  const message = { ...userMessage, ...(parentTurnId !== undefined && { parentTurnId }) };
  await turns.insert(turnInput(turnId, { projectId, conversationId, content: ask }), 'hash', message);
  await turns.close(answered(turnId, '101-2', { ownEvents: [opening, attempt(1, answer)] }));
  if (result === undefined) return;
  const call = {
    id: 'abc',
    type: 'function',
    function: { name: 'Files_read', arguments: '{"path":"a.ts"}' },
  } as const;
  const messages: ModelMessage[] = [
    { role: 'user', content: `[surroundings] AGENTS.md says heron [end of surroundings] ${ask}` },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'abc', content: result },
    { role: 'assistant', content: answer },
  ];
  await sql`
    insert into turn_transcripts (turn_id, messages, tokens)
    values (${turnId}, ${JSON.stringify(messages)}::json, ${[1, 1, Math.ceil(result.length / 4), 1]})
    on conflict (turn_id) do update set messages = excluded.messages, tokens = excluded.tokens`.execute(
    database.db,
  );
};

const begin = (turnId: string, conversationId: string, parentTurnId?: string, projectId = 'project') =>
  createTurnRepository(database.db).insert(
    turnInput(turnId, { projectId, conversationId, content: 'Where was that?' }),
    'hash',
    { ...userMessage, ...(parentTurnId !== undefined && { parentTurnId }) },
  );

const recall = (turnId: string, words: readonly string[], projectId = 'project', limit = 5) =>
  createRecallRepository(database.db).recall({ turnId, projectId, words, limit });

const recalledTexts = async (...query: Parameters<typeof recall>) =>
  (await recall(...query)).texts.map(({ turnId, kind }) => `${turnId} ${kind}`);

describe('recall', () => {
  it('finds messages, answers and results, with the call; neither surroundings nor the turn itself', async () => {
    await play('r1', 'talk', { ask: 'The deploy port is 7443.', answer: 'Noted.' });
    await play('r2', 'talk', { ask: 'Read it.', answer: 'It is a Zebra.', result: '1\tconst limit = 8192;' });
    await begin('now', 'talk');
    expect(await recalledTexts('now', ['7443'])).toEqual(['r1 user']);
    expect(await recalledTexts('now', ['zebra'])).toEqual(['r2 orion']);
    expect(await recall('now', ['8192'])).toMatchObject({
      texts: [{ kind: 'result', call: { name: 'Files_read', arguments: '{"path":"a.ts"}' } }],
      searchedTurns: 2,
      isWhole: true,
    });
    expect(await recalledTexts('now', ['heron'])).toEqual([]);
    expect(await recalledTexts('now', ['where'])).toEqual([]);
  });

  it('ranks texts with more and rarer words first, and whole words before parts of others', async () => {
    // The newer one would come first if both ranked equally.
    await play('w1', 'words', { ask: 'the cat', answer: 'the end' });
    await play('w2', 'words', { ask: 'the concatenated list', answer: 'the end' });
    await play('w3', 'words', { ask: 'the dog', answer: 'the end' });
    await begin('w4', 'words');
    expect((await recalledTexts('w4', ['the', 'cat'])).slice(0, 2)).toEqual(['w1 user', 'w2 user']);
  });

  it('finds words of scripts without spaces, and text that looks like a pattern', async () => {
    await play('s1', 'scripts', { ask: '我喜欢蓝色的猫', answer: "50%_off ' \\ (x" });
    await begin('s2', 'scripts');
    expect(await recalledTexts('s2', ['蓝色'])).toEqual(['s1 user']);
    expect(await recalledTexts('s2', ['50%_off'])).toEqual(['s1 orion']);
    expect(await recalledTexts('s2', ['5%'])).toEqual([]);
    expect(await recalledTexts('s2', ["'", '\\'])).toEqual(['s1 orion']);
  });

  it('looks only at the branch', async () => {
    await play('b1', 'tree', { ask: 'root walnut' });
    await play('b2', 'tree', { ask: 'left walnut' });
    await play('b3', 'tree', { ask: 'right walnut', parentTurnId: 'b1' });
    await begin('b4', 'tree', 'b2');
    expect((await recalledTexts('b4', ['walnut'])).sort()).toEqual(['b1 user', 'b2 user']);
  });

  it('keeps projects apart, whose conversations have one name', async () => {
    await play('p1', 'main', { ask: 'secret of a', projectId: 'a' });
    await play('p2', 'main', { ask: 'secret of b', projectId: 'b' });
    await begin('p3', 'main', undefined, 'b');
    expect(await recalledTexts('p3', ['secret'], 'b')).toEqual(['p2 user']);
    expect(await recalledTexts('p3', ['secret'], 'a')).toEqual([]);
  });

  it('looks at no more than 4 MiB of text, the newest, and says so', async () => {
    for (const turnId of ['h1', 'h2', 'h3']) {
      await play(turnId, 'huge', { ask: `fact ${turnId}`, result: 'x'.repeat(1_500_000) });
    }
    await begin('h4', 'huge');
    const answer = await recall('h4', ['fact']);
    expect(answer.texts.map(({ turnId }) => turnId)).toEqual(['h3', 'h2']);
    expect(answer).toMatchObject({ searchedTurns: 2, isWhole: false });
  });
});

describe('50 facts that were told over 300 turns', () => {
  it('are found by their words, in an answer of at most 8 KiB', async () => {
    await sql`
      insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, parent_turn_id, protocol,
        mode, model, status, terminal, ended_at)
      select 'f' || n, 'project', 'facts', '', '{}', case when n > 1 then 'f' || n - 1 end, 'two_stage',
        'act', 'm', 'completed', '{}', now()
      from generate_series(1, 300) n`.execute(database.db);
    await sql`
      insert into chat_messages (turn_id, project_id, conversation_id, sender, content, metadata)
      select 'f' || n, 'project', 'facts', sender,
        repeat('We talked about services, ports and their owners at length. ', 10)
          || case when sender = 'user' and n % 6 = 0 then 'The port of service S' || n || 'x is ' || 10000 + n || '.' else '' end,
        '{}'
      from generate_series(1, 300) n, unnest(array['user', 'orion']) sender order by n`.execute(database.db);
    await sql`analyze turns, chat_messages, turn_transcripts`.execute(database.db);
    await begin('f301', 'facts', 'f300');
    const tool = createSearchConversationTool((query) => createRecallRepository(database.db).recall(query));
    const context = partOf<ToolContext>({ turnId: 'f301', projectId: 'project' });
    let [facts, longest] = [0, 0];
    for (let n = 6; n <= 300; n += 6) {
      const outcome = await tool.execute(
        { query: `What is the port of service S${n}x?`, limit: 10 },
        context,
      );
      const text = JSON.stringify(outcome);
      expect(text).toContain(`is ${10_000 + n}.`);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1_024);
      facts += 1;
      longest = Math.max(longest, Buffer.byteLength(text));
    }
    logLine(`recall: ${facts} of 50 facts over 300 turns found, in ${longest} bytes at most`);
  });
});
