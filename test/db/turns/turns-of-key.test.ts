import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('running turns are listed by key and protocol', async () => {
  const turns = createTurnRepository(database.db);
  for (const [turnId, protocol, key] of [
    ['a1', 'two_stage', 'a'],
    ['a2', 'two_stage', 'a'],
    ['a3', 'standard', 'a'],
    ['b1', 'two_stage', 'b'],
    ['none', 'two_stage', undefined],
  ] as const) {
    await turns.insert(turnInput(turnId, { protocol }), 'hash', userMessage, key);
  }
  expect((await turns.listRunning('a', 'two_stage')).toSorted()).toEqual(['a1', 'a2']);
  expect(await turns.listRunning('a', 'standard')).toEqual(['a3']);
  expect(await turns.listRunning('b', 'standard')).toEqual([]);
  await turns.close(answered('a1', '0-1'));
  expect(await turns.listRunning('a', 'two_stage')).toEqual(['a2']);
});

it('ended turns among some are listed with how they ended', async () => {
  const turns = createTurnRepository(database.db);
  for (const turnId of ['c1', 'c2']) await turns.insert(turnInput(turnId), 'hash', userMessage, 'c');
  expect(await turns.findEndStatuses(['c1', 'c2', 'unknown'])).toEqual([]);
  await turns.close(answered('c1', '0-1'));
  expect(await turns.findEndStatuses(['c1', 'c2', 'unknown'])).toEqual([
    { turnId: 'c1', status: 'completed' },
  ]);
  expect(await turns.findEndStatuses([])).toEqual([]);
});
