import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe('the text of a segment', () => {
  it('is what the model said in that attempt, notices and calls left out', async () => {
    await createTurnRepository(database.db).insert(turnInput('text'), 'hash', userMessage);
    const segments = createSegmentRepository(database.db);
    await segments.store('text', 102, [
      { epoch: 102, seq: 1, after: null, events: [{ type: 'reset', fromSeq: 2 }, 'a\n', 'b'] },
    ]);
    expect(await segments.loadText('text', 102)).toBe('a\nb');
    expect(await segments.loadText('text', 101)).toBe('');
  });
});
