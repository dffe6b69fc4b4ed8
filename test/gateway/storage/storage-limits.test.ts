/**
 * Checks that the bytes a key stores in a day are limited, that no key takes the last bytes of a disk, and that other
 * keys notice neither.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolders } from '../../../src/gateway/compose/compose-storage.ts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FreeSpace, type VolumeSpace } from '../../../src/gateway/storage/free-space.ts';
import { StorageQuota } from '../../../src/gateway/storage/storage-quota.ts';
import { createStorageLimits } from '../../../src/gateway/storage/storage-limits.ts';
import { MemoryBytes } from '../support/memory-bytes.ts';
import { settled } from '../../support/manual-clock.ts';
import { everyKey, type HttpResponse } from '../support/gateway-world.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';

const LIMIT = 100_000;
const NOON = Date.parse('2026-01-02T12:00:00Z');

const as = (key: string) => ({ authorization: `Bearer ${key}` });

const expectRefusal = ({ status, body }: HttpResponse, code: string, error: RegExp): void => {
  expect([status, body['code']]).toEqual([507, code]);
  expect(body['error']).toMatch(error);
};

let world: WriteSessionWorld;
let now = NOON;
let freeBytes = 1e12;
const open = async (): Promise<void> => {
  [now, freeBytes] = [NOON, 1e12];
  const storage = createStorageLimits(
    new StorageQuota({ stored: new MemoryBytes(), limit: LIMIT, now: () => now }),
    new FreeSpace({
      folders: ['data', 'workspace'],
      reserve: 1_000_000,
      readVolume: () => Promise.resolve({ freeBytes, totalBytes: 1e12 }),
    }),
  );
  world = await WriteSessionWorld.open(10_485_760, { storage, keys: everyKey });
};
afterEach(() => world.close());

const put = (key: string, bytes: number) =>
  world.put(world.sessions.add().sessionId, 'x'.repeat(bytes), as(key));
const draft = (key: string, sessionId: string, offset: number, bytes: number) =>
  world.gateway.request('POST', `/api/write-session/${sessionId}/draft`, {
    headers: { 'content-type': 'text/plain', 'upload-offset': String(offset), ...as(key) },
    body: 'x'.repeat(bytes),
  });
const message = (bytes: number, fields: object = {}) => ({
  projectId: 'p',
  conversationId: `c${Math.random()}`,
  content: 'x'.repeat(bytes),
  ...fields,
});

const USED_UP =
  /^This key has stored \d+ of 100000 bytes that it may store a day; counted anew from 2026-01-03T00:00:00\.000Z\.$/;

describe('a key that has stored its bytes of the day', () => {
  it('is refused contents, drafts, notes and turns, and learns when it may go on', async () => {
    await open();
    const { sessionId } = world.sessions.add();
    expect((await draft('a', sessionId, 0, 30_000)).status).toBe(202);
    expect((await put('a', 60_000)).status).toBe(200);
    const refused = await put('a', 20_000);
    expectRefusal(refused, 'storage_quota_exceeded', USED_UP);
    expect(refused.body['details']).toEqual({
      used: expect.any(Number),
      limit: LIMIT,
      resets_at: '2026-01-03T00:00:00.000Z',
    });
    const others = [
      await world.finalize(`{"content":"${'x'.repeat(20_000)}","session_id":"${sessionId}"}`, as('a')),
      await draft('a', sessionId, 30_000, 20_000),
      await world.gateway.post('/api/chat/messages', message(20_000, { sender: 'system' }), as('a')),
      await world.gateway.post('/api/turns', message(20_000), as('a')),
    ];
    for (const answer of others) expectRefusal(answer, 'storage_quota_exceeded', USED_UP);
    expect(world.gateway.messages.stored).toEqual([]);
    expect(await world.storedFiles()).toHaveLength(1);
  });

  it('does not use up what another key may store, and may go on the next day', async () => {
    await open();
    expect((await put('a', 90_000)).status).toBe(200);
    expect((await put('a', 90_000)).status).toBe(507);
    expect((await put('b', 90_000)).status).toBe(200);
    now += 12 * 3_600_000;
    expect((await put('a', 90_000)).status).toBe(200);
  });

  it('still comes back to its turns, which stores nothing', async () => {
    await open();
    const mine = message(50_000, { requestId: 'mine' });
    expect((await world.gateway.post('/api/turns', mine, as('a'))).status).toBe(202);
    for (let i = 0; i < 3; i += 1) {
      expect((await world.gateway.post('/api/turns', mine, as('a'))).status).toBe(202);
    }
    expect((await put('a', 49_000)).status).toBe(200);
    expect((await world.gateway.post('/api/turns', mine, as('a'))).status).toBe(202);
  });

  it('still gets the answer to a repeated note, which stores nothing; another text under its id is a conflict', async () => {
    await open();
    const mine = message(50_000, { requestId: 'mine', sender: 'system' });
    const first = await world.gateway.post('/api/chat/messages', mine, as('a'));
    expect(first.status).toBe(201);
    expect((await put('a', 49_000)).status).toBe(200);
    const again = await world.gateway.post('/api/chat/messages', mine, as('a'));
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = { ...mine, content: 'y'.repeat(50_000) };
    expect((await world.gateway.post('/api/chat/messages', other, as('a'))).status).toBe(409);
    const unknown = { ...mine, requestId: 'another' };
    expect((await world.gateway.post('/api/chat/messages', unknown, as('a'))).status).toBe(507);
    expect(world.gateway.messages.stored).toHaveLength(1);
  });

  it('has stored a turn that waits for Temporal, and not one that the database has not taken', async () => {
    await open();
    const { turns } = world.gateway;
    turns.outcome = { kind: 'unavailable', server: 'database' };
    expect((await world.gateway.post('/api/turns', message(60_000), as('a'))).status).toBe(503);
    turns.outcome = { kind: 'unavailable', server: 'temporal', turnId: 'mine' };
    expect((await world.gateway.post('/api/turns', message(60_000), as('a'))).status).toBe(503);
    expectRefusal(await put('a', 60_000), 'storage_quota_exceeded', USED_UP);
    expect((await put('a', 30_000)).status).toBe(200);
  });

  it('gets back what was not stored in the end', async () => {
    await open();
    const { sessionId } = world.sessions.add();
    const answers = await Promise.all([draft('a', sessionId, 0, 40_000), draft('a', sessionId, 0, 40_000)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
    expect((await put('a', 55_000)).status).toBe(200);
  });
});

it('a key gets back the bytes of a chunk for which the disk has no place', async () => {
  await open();
  world.contents.drafts.append = async (_sessionId, _offset, _source, admit) => {
    await admit?.(60_000);
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  };
  expect((await draft('a', world.sessions.add().sessionId, 0, 60_000)).status).toBe(500);
  expect((await put('a', 60_000)).status).toBe(200);
});

describe('a disk that is nearly full', () => {
  it('no longer takes contents, drafts and messages', async () => {
    await open();
    freeBytes = 1_020_000;
    const { sessionId } = world.sessions.add();
    const answers = [
      await put('a', 30_000),
      await draft('a', sessionId, 0, 30_000),
      await world.gateway.post('/api/turns', message(30_000), as('a')),
    ];
    for (const answer of answers) expectRefusal(answer, 'storage_full', /ORION_MIN_FREE_BYTES/);
    expect(await world.storedFiles()).toEqual([]);
    expect((await put('a', 10_000)).status).toBe(200);
  });
});

describe('free space', () => {
  const disk = (totalBytes: number, free: number, reserve?: number) =>
    new FreeSpace({
      folders: ['data'],
      reserve,
      readVolume: () => Promise.resolve({ totalBytes, freeBytes: free }),
    });
  const MIB = 1024 * 1024;

  it('counts what is still coming in', async () => {
    const free = disk(1e12, 100, 10);
    const release = await free.hold(60);
    expect(release).toBeDefined();
    expect(await free.hold(60)).toBeUndefined();
    release?.();
    expect(await free.hold(60)).toBeDefined();
  });

  it('is measured again after a second, for large contents, and before anybody is refused', async () => {
    const machine = { now: 0, asked: 0, freeBytes: 10 * MIB };
    const readVolume = () => {
      machine.asked += 1;
      return Promise.resolve({ totalBytes: 1e12, freeBytes: machine.freeBytes });
    };
    const free = new FreeSpace({ folders: ['data'], reserve: 2 * MIB, readVolume, now: () => machine.now });
    const askedBy = async (bytes: number): Promise<number> => {
      const before = machine.asked;
      (await free.hold(bytes))?.();
      return machine.asked - before;
    };
    expect([await askedBy(1), await askedBy(1), await askedBy(MIB)]).toEqual([1, 0, 1]);
    machine.now = 1_000;
    expect([await askedBy(1), await askedBy(1)]).toEqual([1, 0]);
    machine.freeBytes = MIB;
    machine.now = 2_000;
    expect(await free.hold(1)).toBeUndefined();
    machine.freeBytes = 10 * MIB;
    expect(await free.hold(1)).toBeDefined();
  });

  it('by default leaves 256 MiB of a large disk and 5 % of a small one', async () => {
    expect(await disk(1e12, 300 * MIB).hold(30 * MIB)).toBeDefined();
    expect(await disk(1e12, 300 * MIB).hold(60 * MIB)).toBeUndefined();
    expect(await disk(64 * MIB, 20 * MIB).hold(10 * MIB)).toBeDefined();
    expect(await disk(64 * MIB, 12 * MIB).hold(10 * MIB)).toBeUndefined();
  });

  it('counts on a disk that answers while another disk hangs, and no small request waits for it', async () => {
    const space = { totalBytes: 1e12, freeBytes: 10 * MIB };
    const asked = { hanging: 0 };
    const readVolume = (folder: string): Promise<VolumeSpace> => {
      if (folder === 'data') return Promise.resolve(space);
      asked.hanging += 1;
      return new Promise(() => undefined);
    };
    const machine = { now: 0 };
    const free = new FreeSpace({
      folders: ['data', 'workspace'],
      reserve: 2 * MIB,
      readVolume,
      now: () => machine.now,
    });
    expect(await free.hold(9 * MIB)).toBeUndefined();
    expect(await free.hold(1)).toBeDefined();
    // Each look may hold a thread of Node's small pool.
    expect(asked.hanging).toBe(1);
    space.freeBytes = MIB;
    machine.now = 1_000;
    expect(await free.hold(1)).toBeUndefined();
    expect(asked.hanging).toBe(1);
  });

  it('lets everything through when it is unknown, or when its limit is 0', async () => {
    const unknown = new FreeSpace({ folders: ['data'], readVolume: () => Promise.reject(new Error('gone')) });
    expect(await unknown.hold(1)).toBeDefined();
    expect(await disk(1e12, 0, 0).hold(1)).toBeDefined();
  });
});

describe('bytes of a key', () => {
  it('that were counted ahead are returned when Postgres does not answer for the rest', async () => {
    const stored = new MemoryBytes();
    const keyBytes = new StorageQuota({ stored, limit: LIMIT, now: () => NOON });
    // This counts a block of 1,000 bytes and leaves 900 of it.
    expect(await keyBytes.reserve('a', 100)).toMatchObject({ kind: 'taken' });
    const add = stored.add.bind(stored);
    stored.add = () => Promise.reject(new Error('connection lost'));
    for (let i = 0; i < 3; i += 1) {
      await expect(keyBytes.reserve('a', 1_500)).rejects.toThrow('connection lost');
    }
    expect(await keyBytes.reserve('a', 900)).toMatchObject({ kind: 'taken' });
    stored.add = add;
    expect(await keyBytes.reserve('a', LIMIT - 1_000)).toMatchObject({ kind: 'taken' });
    expect(await keyBytes.reserve('a', 1)).toMatchObject({ kind: 'refused', used: LIMIT });
  });

  it('cost one statement a mebibyte, stay within the limit over several gateways, and are returned', async () => {
    const stored = new MemoryBytes();
    const limit = 200 * 1024 * 1024;
    const gateways = [1, 2, 3].map(() => new StorageQuota({ stored, limit, now: () => NOON }));
    const statements = { count: 0 };
    const add = stored.add.bind(stored);
    stored.add = (...args) => {
      statements.count += 1;
      return add(...args);
    };
    let taken = 0;
    for (let i = 0; i < 3_000; i += 1) {
      const outcome = await gateways[i % 3]?.reserve('a', 1_000);
      if (outcome?.kind === 'taken') taken += 1_000;
    }
    expect(taken).toBe(3_000_000);
    expect(statements.count).toBeLessThan(10);
    for (let i = 0; i < 1_000; i += 1) {
      const outcome = await gateways[i % 3]?.reserve('a', 1_000_000);
      if (outcome?.kind === 'taken') taken += 1_000_000;
    }
    expect(taken).toBeLessThanOrEqual(limit);
    expect(taken).toBeGreaterThan(limit - 5_000_000);
    expect(await gateways[0]?.reserve('a', 2_000_000)).toMatchObject({ kind: 'refused', limit });
  });
});

it('the disk of a database outside the data directory counts', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'orion-space-'));
  try {
    expect(dataFolders({ dataDir, workspace: '/files' })).toEqual([dataDir, '/files']);
    symlinkSync(tmpdir(), join(dataDir, 'postgres-place'));
    expect(dataFolders({ dataDir, workspace: '/files' })).toEqual([
      dataDir,
      '/files',
      join(dataDir, 'postgres-place'),
    ]);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

it('a key whose turns have stored too much is refused small messages, too, until the next day', async () => {
  const stored = new MemoryBytes();
  let at = NOON;
  const bytes = new StorageQuota({ stored, limit: LIMIT, now: () => at });
  const day = new Date(NOON).toISOString().slice(0, 10);
  await expect(bytes.reserve('ann', 10)).resolves.toMatchObject({ kind: 'taken' });
  await expect(bytes.findRefusal('ann', 10)).resolves.toBeUndefined();
  // A worker has ended a turn of this key.
  stored.days.set(`${day} ann`, 3 * LIMIT);
  at += 1_000;
  await bytes.findRefusal('ann', 10);
  // The count is read in the background, not by the request.
  await settled();
  await expect(bytes.findRefusal('ann', 10)).resolves.toMatchObject({ kind: 'refused', limit: LIMIT });
  await expect(bytes.findRefusal('bea', 10)).resolves.toBeUndefined();
  at += 86_400_000;
  await expect(bytes.findRefusal('ann', 10)).resolves.toBeUndefined();
});
