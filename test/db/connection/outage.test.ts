import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { isDatabaseUnavailable } from '../../../src/db/connection/database-unavailable.ts';
import { openDatabase, type Database } from '../../../src/db/connection/database.ts';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { fullContentOf } from '../../../src/protocol/event-log/event-log.ts';
import { startCutProxy, type CutProxy } from '../support/cut-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, turnInput, userMessage } from '../../support/turn-fixtures.ts';
import { cpuAdjustedNow } from '../../support/own-time.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

let proxy: CutProxy;
let wire: ReturnType<typeof openDatabase>;
beforeEach(async () => {
  proxy = await startCutProxy(database.url);
  wire = openDatabase(proxy.url);
});
afterEach(async () => {
  await wire.close();
  await proxy.close();
});

const ping = (db: Database) => sql`select 1`.execute(db);

const expectUnavailable = async (work: Promise<unknown>): Promise<void> => {
  const started = cpuAdjustedNow();
  const outcome = await work.then(
    () => 'no failure',
    (error: unknown) => (isDatabaseUnavailable(error) ? 'unavailable' : error),
  );
  expect(outcome).toBe('unavailable');
  expect(cpuAdjustedNow() - started).toBeLessThan(10_000);
};

describe('an unreachable Postgres is known as such, and nobody hangs', () => {
  it('nothing listens', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    listener.close();
    const { db, close } = openDatabase(`postgres://orion@localhost:${port}/orion`);
    await expectUnavailable(ping(db));
    await close();
  });

  it('the host is unknown', async () => {
    const { db, close } = openDatabase('postgres://orion@nowhere.invalid:5432/orion');
    await expectUnavailable(ping(db));
    await close();
  });

  it('connections are accepted and never answered; once it is back, the next query passes', async () => {
    proxy.freeze();
    await expectUnavailable(ping(wire.db));
    proxy.thaw();
    await ping(wire.db);
  });

  it('open connections freeze for good; once it is back, new ones replace them', async () => {
    // Each query keeps its connection until all ten have one.
    const { promise: all, resolve } = Promise.withResolvers<void>();
    let taken = 0;
    const take = async (connection: Database): Promise<void> => {
      await ping(connection);
      taken += 1;
      if (taken === 10) resolve();
      await all;
    };
    await Promise.all(Array.from({ length: 10 }, () => wire.db.connection().execute(take)));
    proxy.freeze();
    await Promise.all(Array.from({ length: 10 }, () => expectUnavailable(ping(wire.db))));
    proxy.thaw();
    await Promise.all(Array.from({ length: 10 }, () => ping(wire.db)));
  });

  it('a connection freezes inside a transaction: the rollback does not wait for a second timeout', async () => {
    const work = wire.db.transaction().execute(async (trx) => {
      await ping(trx);
      proxy.freeze();
      await ping(trx);
    });
    await expectUnavailable(work);
  });

  it('all connections are taken for too long', async () => {
    const { db, close } = openDatabase(database.url, { maxConnections: 1, queryTimeoutMs: 10_000 });
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const taking = db.connection().execute(() => freed);
    await expectUnavailable(ping(db));
    free();
    await taking;
    await close();
  });
});

describe('a connection that breaks', () => {
  it('while idle is reported and replaced', async () => {
    const lost: Error[] = [];
    const { db, close } = openDatabase(database.url, { onConnectionLost: (error) => lost.push(error) });
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
    await eventually('a report of the lost connection', () => lost.length > 0);
    await ping(db);
    expect(lost.every(isDatabaseUnavailable)).toBe(true);
    await close();
  });

  it('between two statements of a transaction fails that transaction, not the process', async () => {
    const { db, close } = openDatabase(database.url);
    const work = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.db);
      await new Promise(setImmediate);
      await ping(trx);
    });
    await expectUnavailable(work);
    await ping(db);
    await close();
  });
});

describe('killed at any packet, nothing is half done', () => {
  const cuts = Array.from({ length: 12 }, (_, i) => i + 1).flatMap((count) => [
    { count, kind: 'cutBefore' as const },
    { count, kind: 'cutAfter' as const },
  ]);

  /** Returns what is stored of a turn, read in one snapshot, because a lost commit may still be under way. */
  const storedStateOf = async (turnId: string) => {
    const { rows } = await sql<{ status: string | null; senders: string[]; segments: string }>`
      select (select status from turns where turn_id = ${turnId}) as status,
        array(select sender from chat_messages where turn_id = ${turnId} order by id) as senders,
        (select count(*) from turn_segments where turn_id = ${turnId}) as segments`.execute(database.db);
    return rows[0];
  };

  // A cut is seen at once, so no limit in time is needed here, and a busy machine may take long to connect again.
  beforeEach(async () => {
    await wire.close();
    wire = openDatabase(proxy.url, { connectTimeoutMs: 60_000, queryTimeoutMs: 60_000 });
  });

  const isCut = (work: Promise<unknown>) =>
    work.then(
      () => false,
      (error: unknown) => isDatabaseUnavailable(error) || Promise.reject(error as Error),
    );

  it('insert: row and message, or neither; the repeat ends with one of each', async () => {
    const insert = (id: string) => createTurnRepository(wire.db).insert(turnInput(id), 'h', userMessage);
    const failed: boolean[] = [];
    for (const { count, kind } of cuts.slice(0, 4)) {
      const id = `insert-${kind}-${count}`;
      proxy[kind](count);
      failed.push(await isCut(insert(id)));
      proxy.mend();
      const seen = await storedStateOf(id);
      expect(seen?.senders).toEqual(seen?.status === 'running' ? ['user'] : []);
      await insert(id);
      expect(await storedStateOf(id)).toMatchObject({ status: 'running', senders: ['user'] });
    }
    expect(failed).toContain(true);
  });

  it('close: everything or nothing; the repeat ends with one reply and the whole list', async () => {
    const direct = createTurnRepository(database.db);
    const close = (id: string) => createTurnRepository(wire.db).close(answered(id, '101-2'));
    let failures = 0;
    for (const { count, kind } of cuts) {
      const id = `close-${kind}-${count}`;
      await direct.insert(turnInput(id), 'h', userMessage);
      await createSegmentRepository(database.db).store(id, 101, [attempt(1, 'text')]);
      proxy[kind](count);
      failures += (await isCut(close(id))) ? 1 : 0;
      proxy.mend();
      expect([
        { status: 'running', senders: ['user'], segments: '1' },
        { status: 'completed', senders: ['user', 'orion'], segments: '2' },
      ]).toContainEqual(await storedStateOf(id));
      await close(id);
      expect(await storedStateOf(id)).toMatchObject({ status: 'completed', senders: ['user', 'orion'] });
      expect(fullContentOf((await direct.findEvents(id)) ?? [])).toBe('text');
    }
    // Begin, lock, segments, merge, end and commit can each be lost on the way there or on the way back.
    expect(failures).toBeGreaterThanOrEqual(12);
  });
});
