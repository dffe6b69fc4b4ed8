/** Answers that are too long for a history are stored under their hash while their request is open. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createInputRepository } from '../../../src/db/inputs/input-repository.ts';
import { createReplyContents } from '../../../src/db/inputs/reply-contents.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('contents of replies are kept once, as Postgres can hold them, and only for open requests that take one', async () => {
  const { db } = database;
  const inputs = createInputRepository(db);
  const contents = createReplyContents(db);
  await createTurnRepository(db).insert(turnInput('t'), 'hash', userMessage);
  const request = { options: ['answer', 'deny'] as const };
  await inputs.prepare({ turnId: 't', n: 1, kind: 'question', request, argsHash: null, diff: null });
  const first = { turnId: 't', n: 1, kind: 'question' } as const;
  expect(await contents.store(first, 'a', 'one\0')).toBe(true);
  expect(await contents.store(first, 'a', 'another')).toBe(false);
  expect(await contents.store({ ...first, n: 2 }, 'b', 'nobody asked')).toBe(false);
  expect(await contents.store({ ...first, kind: 'client_tool' }, 'd', 'no result')).toBe(false);
  expect(await contents.find('t', 'a')).toBe('one\uFFFD');
  expect(await contents.find('t', 'b')).toBeUndefined();
  expect(await contents.find('t', 'd')).toBeUndefined();
  await inputs.close('t', [{ inputId: 't/1', reply: 'deny', by: { kind: 'local' }, at: 'then' }]);
  expect(await contents.store(first, 'c', 'too late')).toBe(false);
  expect(await contents.find('t', 'c')).toBeUndefined();
});
