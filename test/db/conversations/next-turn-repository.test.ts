/** Tests the preview of the next turn's prompt, in a real Postgres: the turn then sends the same. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { createPromptService } from '../../../src/prompts/prompt-service.ts';
import { wholePrompt } from '../../../src/prompts/whole-prompt.ts';
import { createReadNextPrompt, type NextPrompt } from '../../../src/prompts/next-prompt.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createNextTurnRepository } from '../../../src/db/conversations/next-turn-repository.ts';
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

const shared = {
  readSurroundings: () => Promise.resolve({ files: ['a.ts'], skills: [], instructions: null }),
  window: { tokens: 1_500, messages: undefined },
  now: () => 0,
};

const read = (conversationId: string, leaf?: string, projectId = 'project', model?: string) =>
  createReadNextPrompt({
    ...shared,
    defaultModel: 'm',
    window: { ...shared.window, contextWindows: new Map([['small', 9_192]]) },
    nextTurns: createNextTurnRepository(database.db),
    readSystemPrompt: () => Promise.resolve('You are Orion.'),
  })({ projectId, conversationId }, { leaf, model });

const readFound = async (...args: Parameters<typeof read>): Promise<NextPrompt> => {
  const next = await read(...args);
  if (next.kind !== 'found') throw new Error(next.kind);
  return next;
};

interface Played {
  readonly conversationId: string;
  readonly parentTurnId?: string;
}

/** Runs a turn of one model call; resolves to the prompt of the call. */
const play = async (turnId: string, { conversationId, parentTurnId }: Played, content = 'Hello.') => {
  const turns = createTurnRepository(database.db);
  const input = turnInput(turnId, { conversationId, content });
  await turns.insert(input, 'hash', { ...userMessage, ...(parentTurnId !== undefined && { parentTurnId }) });
  const transcripts = createTranscriptRepository(database.db);
  const context = createPromptService({ ...shared, transcripts, systemPrompt: 'You are Orion.' });
  const claim = await createStepRepository(database.db).claim({
    turnId,
    step: 1,
    scheduledAt: new Date(),
    runId: 'run',
    messages: [{ role: 'user', content }],
    decidePrompt: () =>
      context.begin({ turnId, projectId: 'project', conversationId, mode: 'act', model: 'm' }),
  });
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const prompt = wholePrompt(
    await context.loadEarlier(turnId, claim.anchorTurnId ?? '', null),
    claim.steps.flatMap((sent) => sent.messages),
  );
  await turns.close(answered(turnId, '0-1'));
  return prompt;
};

const sentOf = ({ blocks }: NextPrompt): ModelMessage[] => blocks.map(({ message }) => message);

describe('the next prompt', () => {
  it('is what the next turn then sends, up to the words of the user, whatever the window leaves out', async () => {
    const left = new Set<boolean>();
    let compared = 0;
    for (let i = 0; i < 12; i += 1) {
      const found = i === 0 ? undefined : await readFound('long');
      const prompt = await play(`n${i}`, { conversationId: 'long' }, 'x'.repeat(800));
      if (!found) continue;
      // The new message takes space, too; only because of it may the window move a turn further than the preview said.
      if (found.anchorTurnId !== (await anchorOf(`n${i}`))) continue;
      const own = prompt.at(-1)?.content ?? '';
      left.add(found.isWhole);
      compared += 1;
      expect(sentOf(found).slice(0, -1)).toEqual(prompt.slice(0, -1));
      expect(own).toBe(`${sentOf(found).at(-1)?.content}${'x'.repeat(800)}`);
    }
    expect(left).toEqual(new Set([false, true]));
    expect(compared).toBeGreaterThan(5);
  });

  it('continues any turn, and includes notes and what the branch leaves', async () => {
    await play('b1', { conversationId: 'tree' });
    await play('b2', { conversationId: 'tree' });
    await createMessageRepository(database.db).insertNote({
      requestId: 'n',
      projectId: 'project',
      conversationId: 'tree',
      sender: 'system',
      content: 'heard',
      metadata: {},
    });
    const [newest, earlier] = [await readFound('tree'), await readFound('tree', 'b1')];
    expect([newest.leaf, newest.blocks.filter(({ turnId }) => turnId === 'b2').length]).toEqual(['b2', 2]);
    expect(newest.blocks.at(-1)?.message.content).toMatch(/\[note\] heard\n\n$/);
    expect(earlier.blocks.map(({ turnId }) => turnId)).toEqual([null, 'b1', 'b1', null]);
    expect(earlier.blocks.at(-1)?.message.content).toContain('The person goes on from an earlier turn');
    expect(newest.blocks.at(-1)?.message.content).not.toContain('The person goes on from an earlier turn');
  });

  it('fits into the window of the model that is to be asked', async () => {
    for (let i = 0; i < 3; i += 1) await play(`w${i}`, { conversationId: 'windows' }, 'x'.repeat(1_200));
    const [by, small] = [
      await readFound('windows'),
      await readFound('windows', undefined, 'project', 'small'),
    ];
    expect([by.limit, by.isWhole, small.limit, small.isWhole]).toEqual([1_500, true, 1_000, false]);
  });

  it('has none before it in a conversation of notes', async () => {
    await createMessageRepository(database.db).insertNote({
      requestId: 'only',
      projectId: 'project',
      conversationId: 'noted',
      sender: 'system',
      content: 'first',
      metadata: {},
    });
    const next = await readFound('noted');
    expect([next.leaf, next.anchorTurnId, next.isWhole, next.blocks.length]).toEqual([null, null, true, 2]);
    expect(next.blocks.at(-1)?.message.content).toContain('[note] first');
  });

  it('contains only its own project and conversation', async () => {
    await play('p1', { conversationId: 'mine' });
    await play('p2', { conversationId: 'yours' });
    expect(await read('mine', undefined, 'other')).toEqual({ kind: 'unknown_conversation' });
    expect(await read('mine', 'p2')).toEqual({ kind: 'unknown_turn' });
    expect(await read('mine', 'nobody')).toEqual({ kind: 'unknown_turn' });
  });
});

const anchorOf = async (turnId: string): Promise<string | null> => {
  const row = await database.db
    .selectFrom('turns')
    .select('anchor_turn_id')
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  return row?.anchor_turn_id ?? null;
};
