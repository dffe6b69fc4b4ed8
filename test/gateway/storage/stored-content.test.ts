/** Checks that content gets its place only once its owner is known, and keeps it only while somebody needs it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { StorageLimits } from '../../../src/gateway/storage/storage-limits.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';

let world: WriteSessionWorld;
beforeAll(async () => {
  world = await WriteSessionWorld.open();
});
afterAll(() => world.close());

const content = 'x'.repeat(300_000);

describe('content', () => {
  it.each([
    ['an unknown session that is named behind it', () => ({ content, session_id: randomUUID() })],
    ['an unknown session that is named before it', () => ({ session_id: randomUUID(), content })],
    ['no session at all', () => ({ content })],
  ])('for %s is not kept', async (_what, body) => {
    expect([400, 404]).toContain((await world.finalize(body())).status);
    expect(await world.storedFiles()).toEqual([]);
  });

  it('for a session that has ended is answered by its hash, and not kept', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.end(sessionId, 'cancelled');
    const [raw, json] = [
      await world.put(sessionId, content),
      await world.finalize({ content, session_id: sessionId }),
    ];
    expect([raw.status, json.status]).toEqual([404, 404]);
    expect(raw.body['details']).toEqual({ stage: 'cancelled' });
    expect(world.sessions.finalized.at(-1)?.request.content?.bytes).toBe(300_000);
    expect(await world.storedFiles()).toEqual([]);
  });

  it('for an open session is stored before its commit, whichever field comes first, and kept when that fails', async () => {
    const [{ sessionId: first }, { sessionId: second }] = [world.sessions.add(), world.sessions.add()];
    world.sessions.outcome = { kind: 'failed', code: 'write_failed', reason: 'file exists' };
    expect((await world.finalize({ content: `${content}1`, session_id: first })).status).toBe(500);
    expect(world.committed()).toBe(`${content}1`);
    expect((await world.finalize({ session_id: second, content: `${content}2` })).status).toBe(200);
    expect(world.committed()).toBe(`${content}2`);
    expect(await world.storedFiles()).toEqual([expect.stringContaining(first)]);
    expect((await world.finalize({ content: `${content}1`, session_id: first })).status).toBe(200);
    expect(await world.storedFiles()).toEqual([]);
  });

  it('for a session that ends while it comes in is gone by the time of the answer', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.outcome = { kind: 'ended', stage: 'expired' };
    expect((await world.put(sessionId, content)).status).toBe(404);
    expect(await world.storedFiles()).toEqual([]);
  });

  it('for the draft of a session that ends while a chunk comes in is refused', async () => {
    let ends = (): void => undefined;
    const storage: StorageLimits = {
      // The body comes in from here on.
      storeCounted: (_claim, store) => {
        ends();
        return store(() => Promise.resolve());
      },
    };
    const other = await WriteSessionWorld.open(1_000, { storage });
    try {
      const { sessionId } = other.sessions.add();
      ends = () => other.sessions.end(sessionId, 'expired');
      expect((await other.draft(sessionId, 0, 'a chunk')).status).toBe(404);
      expect(await other.storedFiles()).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
