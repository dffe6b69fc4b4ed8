/**
 * Counts the statements that a turn sends to Postgres before its model is asked, because each of them delays the first
 * token.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createPromptService } from '../../../src/prompts/prompt-service.ts';
import { createTranscriptRepository } from '../../../src/db/conversations/transcript-repository.ts';
import { createStepRepository } from '../../../src/db/turns/step-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { newTurn } from '../../gateway/support/turn-starter-contract.ts';
import type { Database } from '../../../src/db/connection/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered } from '../../support/turn-fixtures.ts';
import { WatchedStatements } from '../../support/watched-statements.ts';
import { starterOn } from '../support/starter-on.ts';

const statements: string[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Starts a turn of a conversation and claims its first step, as its worker does; resolves to its id. */
const begin = async (db: Database, conversationId: string): Promise<string> => {
  const turn = newTurn({ conversationId });
  const { turnId } = turn;
  expect(await starterOn(createTurnRepository(db)).start(turn)).toMatchObject({ kind: 'started' });
  expect(statements.splice(0)).toEqual(['with turns']);
  const prompts = createPromptService({
    systemPrompt: 'Be brief.',
    readSurroundings: () => Promise.resolve({ files: [], instructions: null, skills: [] }),
    transcripts: createTranscriptRepository(db),
    window: { tokens: 10_000, messages: undefined },
    now: () => 0,
  });
  const claim = await createStepRepository(db).claim({
    turnId,
    step: 1,
    scheduledAt: new Date(1_000),
    runId: 'run-1',
    messages: [{ role: 'user', content: turn.content }],
    decidePrompt: () => prompts.begin({ ...turn, model: 'm' }),
  });
  expect(claim).toMatchObject({ kind: 'claimed', epoch: 101 });
  return turnId;
};

it('one statement stores a turn; three prepared ones begin its first step, four after an earlier turn', async () => {
  const db = database.db.withPlugin(new WatchedStatements((statement) => void statements.push(statement)));
  const first = await begin(db, 'c');
  expect(statements.splice(0)).toEqual(Array.from({ length: 3 }, () => 'prepared with turns'));
  await createTurnRepository(database.db).close(answered(first, '101-1'));
  await begin(db, 'c');
  expect(statements).toEqual(Array.from({ length: 4 }, () => 'prepared with turns'));
});
