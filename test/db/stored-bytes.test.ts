import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createStoredBytes } from '../../src/db/stored-bytes.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('bytes of a day are added by many gateways at once up to the limit, and no further', async () => {
  const gateways = [createStoredBytes(database.db), createStoredBytes(database.openAnother())];
  const added = await Promise.all(
    Array.from({ length: 15 }, () =>
      gateways.map((gateway) => gateway.add('key', '2026-01-02', 10, 105)),
    ).flat(),
  );
  expect(added.filter(Boolean)).toHaveLength(10);
  const [stored] = gateways;
  expect(await stored?.used('key', '2026-01-02')).toBe(100);
  expect(await stored?.add('key', '2026-01-02', 5, 105)).toBe(true);
  expect(await stored?.add('key', '2026-01-03', 106, 105)).toBe(false);
  expect(await stored?.used('key', '2026-01-03')).toBe(0);
  expect(await stored?.used('other', '2026-01-02')).toBe(0);
});
