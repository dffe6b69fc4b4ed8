/** A session that waits for one target does not block sessions on other targets. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createWithFreeTarget, targetLock } from '../../../src/db/claims/free-target.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const done = () => Promise.resolve('done');

it('ten that wait for a locked target do not block another target', async () => {
  const withFreeTarget = createWithFreeTarget(database.db);
  const other = database.openAnother();
  const ended: string[] = [];
  await other.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${targetLock('locked')})`.execute(trx);
    const waiting = Array.from({ length: 10 }, async () => {
      await withFreeTarget('locked', done);
      ended.push('locked');
    });
    expect(await withFreeTarget('free', done)).toBe('done');
    ended.push('free');
    await Promise.all(waiting);
  });
  expect(ended[0]).toBe('free');
  expect(await withFreeTarget('locked', done)).toBe('done');
});

it('only as many of twenty claims at once work as a pool can bear', async () => {
  const withFreeTarget = createWithFreeTarget(database.db);
  let [working, most] = [0, 0];
  const threeWork = Promise.withResolvers<void>();
  const work = async (assertLockHeld: () => Promise<void>): Promise<string> => {
    working += 1;
    most = Math.max(most, working);
    if (working === 3) threeWork.resolve();
    await threeWork.promise;
    await assertLockHeld();
    working -= 1;
    return 'done';
  };
  const claims = Array.from({ length: 20 }, (_, target) => withFreeTarget(`target ${target}`, work));
  expect(new Set(await Promise.all(claims))).toEqual(new Set(['done']));
  expect(most).toBe(3);
});
