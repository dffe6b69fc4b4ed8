/** Tests what a later prompt contains of the earlier turns, over turns in a real Postgres. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { createPromptService } from '../../../src/prompts/prompt-service.ts';
import { wholePrompt } from '../../../src/prompts/whole-prompt.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createTranscriptRepository } from '../../../src/db/conversations/transcript-repository.ts';
import { createStepRepository } from '../../../src/db/turns/step-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const user = (content: string): ModelMessage => ({ role: 'user', content });
const system: ModelMessage = { role: 'system', content: 'You are Orion.' };

const service = (tokens = 96_000) =>
  createPromptService({
    systemPrompt: 'You are Orion.',
    readSurroundings: () => Promise.resolve({ files: [], skills: [], instructions: null }),
    transcripts: createTranscriptRepository(database.db),
    window: { tokens, messages: undefined },
    now: () => 0,
  });

/** Claims a model call of a running turn; resolves to its prompt and its claim. */
const callModel = async (turnId: string, conversationId: string, step: number, messages: ModelMessage[]) => {
  const context = service();
  const claim = await createStepRepository(database.db).claim({
    turnId,
    step,
    scheduledAt: new Date(),
    runId: 'run',
    messages,
    decidePrompt: () =>
      context.begin({ turnId, projectId: 'project', conversationId, mode: 'act', model: 'm' }),
  });
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return wholePrompt(
    await context.loadEarlier(turnId, claim.anchorTurnId ?? '', null),
    claim.steps.flatMap((sent) => sent.messages),
  );
};

const start = (turnId: string, conversationId: string, content: string) =>
  createTurnRepository(database.db).insert(
    turnInput(turnId, { conversationId, content }),
    'hash',
    userMessage,
  );

/** Plays a turn that reads a file and answers; resolves to the prompts of its two calls. */
const play = async (turnId: string, conversationId: string, content: string): Promise<ModelMessage[][]> => {
  await start(turnId, conversationId, content);
  const first = await callModel(turnId, conversationId, 1, [user(content)]);
  const call = { id: 'call_0', type: 'function', function: { name: 'x', arguments: '{}' } } as const;
  const second = await callModel(turnId, conversationId, 2, [
    { role: 'assistant', content: 'I look.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_0', content: `result of ${turnId}` },
  ]);
  const answer = { epoch: 201, seq: 4, after: '199-3', events: [`Answer of ${turnId}.`] };
  const phases = [0, 1, 2].map((index) => ({
    type: 'phase' as const,
    phase: index === 1 ? ('tool' as const) : ('action' as const),
    index,
    cycle: 0,
  }));
  const ownEvents = [{ epoch: 0, seq: 1, after: null, events: phases.slice(0, 1) }];
  const between = { epoch: 199, seq: 2, after: '0-1', events: phases.slice(1) };
  const close = { ownEvents: [...ownEvents, between, answer], terminalId: '299-5' };
  await createTurnRepository(database.db).close(answered(turnId, '201-4', close));
  return [first, second];
};

describe('the second turn', () => {
  it('has the first one’s tool results, and begins with the first one’s prompt as it was sent', async () => {
    const [, sent = []] = await play('one', 'talk', 'Read it.');
    await start('two', 'talk', 'And now?');
    const prompt = await callModel('two', 'talk', 1, [user('And now?')]);
    expect(prompt.slice(0, sent.length)).toEqual(sent);
    expect(prompt.slice(sent.length).map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect(prompt.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['result of one', 'Answer of one.']),
    );
    expect(prompt[0]).toEqual(system);
    const ids = prompt.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
    expect(ids).toEqual([expect.stringMatching(/^[A-Za-z0-9]{9}$/)]);
  });

  it('is stored as what it adds: its rows do not repeat earlier turns', async () => {
    const sizes: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      await play(`long${i}`, 'long', 'x'.repeat(4_000));
      const { rows } = await sql<{ bytes: number }>`
        select (select sum(length(messages::text)) from turn_contexts where turn_id = ${`long${i}`})
          + length(messages::text) as bytes
        from turn_transcripts where turn_id = ${`long${i}`}`.execute(database.db);
      sizes.push(Number(rows[0]?.bytes));
    }
    expect(Math.max(...sizes)).toBeLessThan(1.1 * Math.min(...sizes));
  });

  it('contains the notes that were posted since the first one began, once', async () => {
    const note = (requestId: string) =>
      createMessageRepository(database.db).insertNote({
        requestId,
        projectId: 'project',
        conversationId: 'noted',
        sender: 'system',
        content: `note ${requestId}`,
        metadata: {},
      });
    await note('before');
    const [first = []] = await play('n1', 'noted', 'Hello.');
    await note('after');
    const [second = []] = await play('n2', 'noted', 'Again.');
    expect(first.at(-1)?.content).toMatch(/\[note\] note before\n\nHello\.$/);
    expect(second.at(-1)?.content).toMatch(/\[end of surroundings\]\n\n\[note\] note after\n\nAgain\.$/);
  });

  it('has the stored messages of a turn that was closed from outside', async () => {
    await start('gone', 'outside', 'Lost?');
    await callModel('gone', 'outside', 1, [user('Lost?')]);
    await createTurnRepository(database.db).close({ turnId: 'gone', outside: { batches: [] } });
    await start('next', 'outside', 'Back.');
    const prompt = await callModel('next', 'outside', 1, [user('Back.')]);
    expect(prompt.slice(0, 3)).toEqual([
      system,
      user('Lost?'),
      { role: 'assistant', content: '[no answer]' },
    ]);
  });

  it('after a month has the stored messages, too', async () => {
    await play('old', 'month', 'Long ago.');
    await sql`delete from turn_transcripts where turn_id = 'old'`.execute(database.db);
    await start('today', 'month', 'Today.');
    const prompt = await callModel('today', 'month', 1, [user('Today.')]);
    expect(prompt.slice(1, 3)).toEqual([user('Long ago.'), { role: 'assistant', content: 'Answer of old.' }]);
    expect(prompt.at(-1)?.content).toContain('(The workspace is empty.)');
  });

  it('a turn of another conversation or project with the same name contains nothing of it', async () => {
    await play('mine', 'main', 'Mine.');
    const input = turnInput('theirs', { projectId: 'other', conversationId: 'main' });
    await createTurnRepository(database.db).insert(input, 'hash', userMessage);
    const { turns } = await createTranscriptRepository(database.db).loadBranch('theirs');
    expect(turns).toEqual([]);
  });
});

describe('the window', () => {
  it('stays the same from turn to turn until it is full, then moves once by half', async () => {
    const anchors: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      const turnId = `w${i}`;
      await start(turnId, 'window', 'x'.repeat(400));
      const context = service(2_000);
      const own = {
        turnId,
        projectId: 'project',
        conversationId: 'window',
        mode: 'act',
        model: 'm',
      } as const;
      const claim = await createStepRepository(database.db).claim({
        turnId,
        step: 1,
        scheduledAt: new Date(),
        runId: 'run',
        messages: [user('x'.repeat(400))],
        decidePrompt: () => context.begin(own),
      });
      if (claim.kind === 'claimed') anchors.push(claim.anchorTurnId ?? '');
      await createTurnRepository(database.db).close(answered(turnId, '0-1'));
    }
    const moves = anchors.filter((anchor, i) => anchor !== anchors[i - 1]);
    expect(moves.length).toBeGreaterThan(2);
    expect(moves.length).toBeLessThan(8);
    expect(anchors[0]).toBe('w0');
  });

  it('is found without reading all of 3,000 turns that were stored without anchors', async () => {
    await sql`
      insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, protocol, mode, model,
        status, terminal, ended_at, parent_turn_id)
      select 'a' || n, 'project', 'ancient', 'h', '{}', 'standard', 'act', 'm', 'completed', '{}', now(),
        case when n > 1 then 'a' || n - 1 end
      from generate_series(1, 3000) n`.execute(database.db);
    await sql`
      insert into chat_messages (turn_id, project_id, conversation_id, sender, content, metadata)
      select 'a' || n, 'project', 'ancient', sender, repeat('word ', 100), '{}'
      from generate_series(1, 3000) n, (values ('user'), ('orion')) senders (sender) order by n`.execute(
      database.db,
    );
    await start('now', 'ancient', 'Hello.');
    const begun = await service().begin({
      turnId: 'now',
      projectId: 'project',
      conversationId: 'ancient',
      mode: 'act',
      model: 'm',
    });
    expect(begun.earlier.isWhole).toBe(false);
    expect(begun.earlier.turns.length).toBeGreaterThan(100);
    expect(begun.earlier.turns.length).toBeLessThan(1_000);
  });
});
