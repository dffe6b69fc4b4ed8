/** A worker is seen by the others as long as its session with Postgres lasts, and one of them leads. */
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  presenceKeyOf,
  openWorkerPresence,
  type WorkerPresence,
} from '../../../src/db/claims/worker-presence.ts';
import { createEmptyDatabase } from '../../support/test-database.ts';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
const opened: WorkerPresence[] = [];
const open = async (identity?: string, scope = 'default orion'): Promise<WorkerPresence> => {
  const presence = await openWorkerPresence(database.url, scope, identity);
  opened.push(presence);
  return presence;
};

beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((presence) => presence.close()));
  await database.drop();
});

/** Ends a worker's session from the side of the server, as the end of its process would. */
const endSessions = async (): Promise<void> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'orion-worker-presence' and datname = current_database()`,
  );
  await client.end();
};

/** Looks again until a condition holds, because a server takes a moment to notice. */
const lookUntil = async (presence: WorkerPresence, holds: (living: ReadonlySet<string>) => boolean) => {
  for (;;) {
    const look = await presence.snapshot();
    if (holds(look.livingKeys)) return look;
  }
};

it('sees the living workers of its scope, whatever numbers stand for them', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `worker-${n}`);
  const presences = await Promise.all(names.map((name) => open(name)));
  await open('elsewhere', 'default other');
  const { livingKeys } = await presences[0]!.snapshot();
  expect(livingKeys).toEqual(new Set(names.map(presenceKeyOf)));
});

it('notices a worker whose session ends, and another one then leads', async () => {
  const first = await open('first');
  expect((await first.snapshot()).isLeader).toBe(true);
  const second = await open('second');
  expect((await second.snapshot()).isLeader).toBe(false);
  expect((await first.snapshot()).isLeader).toBe(true);
  await first.close();
  await lookUntil(second, (living) => !living.has(presenceKeyOf('first')));
  expect(await second.snapshot()).toMatchObject({
    isLeader: true,
    livingKeys: new Set([presenceKeyOf('second')]),
  });
});

it('a worker is seen by a process that is no worker, which leads while there is none', async () => {
  const gateway = await open();
  expect(await gateway.snapshot()).toMatchObject({ isLeader: true, livingKeys: new Set() });
  const worker = await open('worker');
  expect(await worker.snapshot()).toMatchObject({ isLeader: false });
  expect(await gateway.snapshot()).toMatchObject({
    isLeader: false,
    livingKeys: new Set([presenceKeyOf('worker')]),
  });
  expect(await worker.snapshot()).toMatchObject({ isLeader: true });
  await worker.close();
  expect(await lookUntil(gateway, (living) => living.size === 0)).toMatchObject({ isLeader: true });
});

it('the presence of a worker rejects once its own session has ended', async () => {
  const presence = await open('first');
  await presence.snapshot();
  await endSessions();
  await expect(presence.snapshot()).rejects.toThrow(/not queryable|terminat/);
  const again = await open('first');
  expect((await again.snapshot()).livingKeys).toEqual(new Set([presenceKeyOf('first')]));
});

it('the presence of a worker is not opened where there is no database', async () => {
  await expect(openWorkerPresence('postgres://127.0.0.1:1/none', 'scope', 'first')).rejects.toThrow(
    'ECONNREFUSED',
  );
});
