import { describe, expect, it } from '@jest/globals';
import { chmod, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WriteOperation } from '../../../src/contracts/write-session/write-session.ts';
import { withFailingSync } from '../support/failing-sync.ts';
import { inCommitWorld, type CommitWorld } from '../support/commit-world.ts';

const DAY = 24 * 3_600_000;

/** Resolves to the id of a session on a.md that committed `text` and ended `agoMs` ago (ms). */
const ended = async (
  { sessions, put, commit }: CommitWorld,
  { operation, text, agoMs = 0 }: { operation: WriteOperation; text: string; agoMs?: number },
): Promise<string> => {
  const session = sessions.begin('a.md', operation);
  expect(await commit(session, await put(text))).toMatchObject({ kind: 'committed' });
  sessions.end(session.sessionId, 'committed', new Date(Date.now() - agoMs));
  return session.sessionId;
};

describe('undo of a commit', () => {
  it('gives the old bytes and mode back, or removes what was created, and does so once', async () => {
    await inCommitWorld(async (world) => {
      const { root, committer, read, entries } = world;
      const target = join(root, 'a.md');
      const old = Buffer.from([0x61, 0xff, 0x0d]);
      await writeFile(target, old);
      await chmod(target, 0o640);
      for (const operation of ['overwrite', 'append'] as const) {
        const session = await ended(world, { operation, text: 'new' });
        expect(await committer.undo(session)).toEqual({ kind: 'undone' });
        expect(await read('a.md')).toBe(old.toString());
        expect((await stat(target)).mode & 0o777).toBe(0o640);
        expect(await committer.undo(session)).toEqual({ kind: 'undone' });
      }
      await unlink(target);
      const created = await ended(world, { operation: 'create', text: 'new' });
      expect(await committer.undo(created)).toEqual({ kind: 'undone' });
      expect(await committer.undo(created)).toEqual({ kind: 'undone' });
      expect(await entries()).toEqual([]);
    });
  });

  it('keeps the same text written again when it is repeated, even long after the first undo', async () => {
    await inCommitWorld(async (world) => {
      const { root, sessions, committer, read } = world;
      const created = await ended(world, { operation: 'create', text: 'new' });
      expect(await committer.undo(created)).toEqual({ kind: 'undone' });
      await ended(world, { operation: 'create', text: 'new' });
      expect(await committer.undo(created)).toEqual({ kind: 'undone' });
      expect(await read('a.md')).toBe('new');

      await writeFile(join(root, 'a.md'), 'old');
      const changed = await ended(world, { operation: 'overwrite', text: 'newer' });
      expect(await committer.undo(changed)).toEqual({ kind: 'undone' });
      await writeFile(join(root, 'a.md'), 'newer');
      sessions.end(changed, 'committed', new Date(Date.now() - 8 * DAY));
      expect(await committer.undo(changed)).toEqual({ kind: 'undone' });
      expect(await read('a.md')).toBe('newer');
    });
  });

  it('is repeated if it died before it was noted, and noted then', async () => {
    await inCommitWorld(async (world) => {
      const { sessions, committer, entries } = world;
      const session = await ended(world, { operation: 'create', text: 'new' });
      sessions.dyingOf = new Error('killed');
      await expect(committer.undo(session)).rejects.toThrow('killed');
      expect([await entries(), sessions.rows.get(session)?.undoneAt]).toEqual([[], null]);
      expect(await committer.undo(session)).toEqual({ kind: 'undone' });
      expect(sessions.rows.get(session)?.undoneAt).toEqual(expect.any(Date));
    });
  });

  it.each(['create', 'overwrite'] as const)(
    'of a %s is no refusal, and not noted, while its folder cannot be synced',
    async (operation) => {
      await inCommitWorld(async (world) => {
        const { root, sessions, committer } = world;
        if (operation === 'overwrite') await writeFile(join(root, 'a.md'), 'old');
        const before = await world.entries();
        const session = await ended(world, { operation, text: 'new' });
        await withFailingSync(async () => {
          for (let undo = 0; undo < 2; undo += 1) {
            await expect(committer.undo(session)).rejects.toThrow('EIO');
            expect(await world.entries()).toEqual(before);
            expect(sessions.rows.get(session)?.undoneAt).toBeNull();
          }
        });
        expect(await committer.undo(session)).toEqual({ kind: 'undone' });
        expect(sessions.rows.get(session)?.undoneAt).toEqual(expect.any(Date));
      });
    },
  );

  it('keeps a file that was changed since, and says so', async () => {
    await inCommitWorld(async (world) => {
      const { root, committer, read } = world;
      const session = await ended(world, { operation: 'create', text: 'new' });
      await writeFile(join(root, 'a.md'), 'edited');
      expect(await committer.undo(session)).toEqual({
        kind: 'refused',
        reason: 'file was changed since the commit: a.md',
      });
      expect(await read('a.md')).toBe('edited');
    });
  });

  it('happens once when many ask for it at once', async () => {
    await inCommitWorld(async (world) => {
      const { root, committer, read, entries } = world;
      const undoMany = async (session: string) => {
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => committer.undo(session)));
        expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['undone']));
      };
      await writeFile(join(root, 'a.md'), 'old');
      for (let round = 0; round < 5; round += 1) {
        await undoMany(await ended(world, { operation: 'overwrite', text: 'new' }));
        expect([await read('a.md'), await entries()]).toEqual(['old', ['a.md']]);
      }
      await unlink(join(root, 'a.md'));
      await undoMany(await ended(world, { operation: 'create', text: 'new' }));
      expect(await entries()).toEqual([]);
    });
  });

  it('works for 7 days, and not without the copy', async () => {
    await inCommitWorld(async (world) => {
      const { root, store, committer, read } = world;
      await writeFile(join(root, 'a.md'), 'old');
      const tooOld = await ended(world, { operation: 'overwrite', text: 'new', agoMs: 8 * DAY });
      expect(await committer.undo(tooOld)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('7 days'),
      });
      await store.prune(new Date(Date.now() + 8 * DAY));
      const pruned = await ended(world, { operation: 'overwrite', text: 'newer', agoMs: 6 * DAY });
      await store.prune(new Date(Date.now() + 8 * DAY));
      expect(await committer.undo(pruned)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('no longer stored'),
      });
      expect(await read('a.md')).toBe('newer');
    });
  });

  it('changes nothing when the session is unknown or has committed nothing', async () => {
    await inCommitWorld(async ({ sessions, committer }) => {
      expect(await committer.undo('31a0d1b0-6f0e-4a53-8a55-3b9c1f5d9d3e')).toEqual({ kind: 'not_found' });
      const { sessionId } = sessions.begin('a.md', 'create');
      expect(await committer.undo(sessionId)).toMatchObject({ kind: 'refused' });
      sessions.end(sessionId, 'expired');
      expect(await committer.undo(sessionId)).toMatchObject({ kind: 'refused' });
    });
  });
});
