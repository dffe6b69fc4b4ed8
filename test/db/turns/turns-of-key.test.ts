import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('running turns are counted by key and protocol; ended ones by how they ended', async () => {
  const turns = createTurnRepository(database.db);
  for (const [turnId, key] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
    ['none', undefined],
  ] as const) {
    await turns.insert(turnInput(turnId), 'hash', userMessage, key);
  }
  expect((await turns.listRunning('a', 'two_stage')).toSorted()).toEqual(['a1', 'a2']);
  expect(await turns.listRunning('a', 'standard')).toEqual([]);
  expect(await turns.findEnded(['a1', 'a2', 'unknown'])).toEqual([]);
  await turns.close(answered('a1', '0-1'));
  expect(await turns.listRunning('a', 'two_stage')).toEqual(['a2']);
  expect(await turns.findEnded(['a1', 'a2', 'unknown'])).toEqual([{ turnId: 'a1', status: 'completed' }]);
  expect(await turns.findEnded([])).toEqual([]);
});
