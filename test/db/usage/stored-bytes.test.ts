import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createStoredBytesRepository } from '../../../src/db/usage/stored-bytes.ts';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { answered, attempt, turnInput, userMessage } from '../../support/turn-fixtures.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { describeStoredBytes } from '../../gateway/support/stored-bytes-contract.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describeStoredBytes('in Postgres', () => createStoredBytesRepository(database.db));

it('bytes of a day are added by many gateways at once up to the limit, and no further', async () => {
  const gateways = [
    createStoredBytesRepository(database.db),
    createStoredBytesRepository(database.openAnother()),
  ];
  const added = await Promise.all(
    Array.from({ length: 15 }, () =>
      gateways.map((gateway) => gateway.add('key', '2026-01-02', 10, 105)),
    ).flat(),
  );
  expect(added.filter(Boolean)).toHaveLength(10);
  expect(await gateways[0]?.findUsed('key', '2026-01-02')).toBe(100);
});

describe('what a turn has stored', () => {
  const today = () => new Date().toISOString().slice(0, 10);
  /** Resolves to the only day on which bytes are counted for an owner, and to their number. */
  const countOf = async (owner: string): Promise<{ readonly day: string; readonly bytes: number }> => {
    const { rows } = await sql<{ day: string; bytes: number }>`
      select day::text, bytes::integer from stored_bytes where owner = ${owner}`.execute(database.db);
    const [only, ...others] = rows;
    if (only === undefined || others.length > 0) throw new Error(`expected one day of ${owner}`);
    return only;
  };
  const end = async (turnId: string, startedBy?: string) => {
    const turns = createTurnRepository(database.db);
    await turns.insert(turnInput(turnId), 'hash', userMessage, startedBy);
    // The text cannot be compressed.
    const noise = randomBytes(200_000).toString('base64');
    await createSegmentRepository(database.db).store(turnId, 101, [attempt(1, noise)]);
    await turns.close(answered(turnId, '101-2'));
    await turns.close(answered(turnId, '101-2'));
  };

  it('counts once, for the key that started it, on the day of its end', async () => {
    const stored = createStoredBytesRepository(database.db);
    const earliest = today();
    await end('of-ann', 'ann');
    const { day, bytes } = await countOf('ann');
    expect([earliest, today()]).toContain(day);
    // The text is stored three times: in a segment, in the turn and in the message.
    expect(bytes).toBeGreaterThan(600_000);
    expect(bytes).toBeLessThan(1_000_000);
    expect(await stored.findUsed('bea', day)).toBe(0);
    expect(await stored.findUsed('ann', day)).toBe(bytes);
    expect(await stored.add('ann', day, 1, bytes)).toBe(false);
  });

  it('ends though it cannot be counted, and says why', async () => {
    const turns = createTurnRepository(database.db);
    await turns.insert(turnInput('uncounted'), 'hash', userMessage);
    await sql`alter table stored_bytes rename to stored_bytes_away`.execute(database.db);
    const closed = await turns.close(answered('uncounted', '0-1')).catch((error: unknown) => error);
    await sql`alter table stored_bytes_away rename to stored_bytes`.execute(database.db);
    expect(closed).toMatchObject({ isClosedHere: true, countFailure: { code: '42P01' } });
    expect(await turns.find('uncounted')).toMatchObject({ status: 'completed' });
  });

  it('counts for all where nobody has a key', async () => {
    await end('of-nobody');
    expect((await countOf('local')).bytes).toBeGreaterThan(600_000);
  });
});
