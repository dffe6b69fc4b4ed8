import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAbandonedSessions } from '../../src/db/abandoned-sessions.ts';
import { createSegmentRepository } from '../../src/db/segment-repository.ts';
import { createTurnRepository } from '../../src/db/turn-repository.ts';
import { createWriteSessionRepository } from '../../src/db/write-session-repository.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { answered, turnInput, userMessage } from '../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const turns = () => createTurnRepository(database.db);
const startTurn = (turnId: string, conversationId: string) =>
  turns().insert({ ...turnInput(turnId), conversationId }, 'hash', userMessage);

const openSession = async (turnId: string): Promise<string> => {
  const sessionId = randomUUID();
  await createWriteSessionRepository(database.db).insert(
    {
      revision: 1,
      sessionId,
      turnId,
      projectId: 'p1',
      targetFile: sessionId,
      operation: 'create',
      intent: '',
      inactivityTimeoutMs: 300_000,
      searchAttributes: false,
    },
    sessionId,
    10,
  );
  return sessionId;
};

describe('abandoned sessions', () => {
  it('are those that ended turns of the same conversation have left open', async () => {
    await startTurn('left', 'c1');
    const left = await openSession('left');
    await turns().close(answered('left', '0-1'));
    await startTurn('elsewhere', 'c2');
    await openSession('elsewhere');
    await turns().close(answered('elsewhere', '0-1'));
    await startTurn('now', 'c1');
    await openSession('now');
    expect(await createAbandonedSessions(database.db)('now')).toEqual([left]);
  });
});

describe('the text of a segment', () => {
  it('is what the model said in that attempt, notices and calls left out', async () => {
    await startTurn('text', 'c3');
    const segments = createSegmentRepository(database.db);
    await segments.put('text', 102, [
      { epoch: 102, seq: 1, after: null, events: [{ type: 'reset', fromSeq: 2 }, 'a\n', 'b'] },
    ]);
    expect(await segments.text('text', 102)).toBe('a\nb');
    expect(await segments.text('text', 101)).toBe('');
  });
});
