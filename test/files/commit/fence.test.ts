/** Covers which of several overlapping attempts may write; test/faults/commit stops them at every operation. */
import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommitSupersededError } from '../../../src/files/commit/commit-failure.ts';
import { inCommitWorld, type CommitWorld } from '../support/commit-world.ts';
import { withFailingSync } from '../support/failing-sync.ts';

/** Holds the first attempt right before it touches the target. */
const holdFirst = ({
  sessions,
}: CommitWorld): { readonly held: Promise<void>; readonly release: () => void } => {
  const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  sessions.planStored = async (_sessionId, attempt) => {
    if (attempt !== 1) return;
    held.resolve();
    await gate.promise;
  };
  return { held: held.promise, release: gate.resolve };
};

describe('commit: overlapping attempts', () => {
  it('an attempt that slept before its rename writes nothing after a later one has committed', async () => {
    await inCommitWorld(async (world) => {
      const { root, sessions, put, commit, read, entries } = world;
      await writeFile(join(root, 'a.md'), 'old ');
      const session = sessions.begin('a.md', 'append');
      const { held, release } = holdFirst(world);
      const content = await put('new');
      const sleeping = Promise.allSettled([commit(session, content)]);
      await held;
      expect(await commit(session, content)).toMatchObject({ kind: 'committed' });
      release();
      expect(await sleeping).toEqual([{ status: 'rejected', reason: expect.any(CommitSupersededError) }]);
      expect([await read('a.md'), await entries()]).toEqual(['old new', ['a.md']]);
    });
  });

  it('an attempt that slept writes nothing after a closer has ended the session, which says that nothing was committed', async () => {
    await inCommitWorld(async (world) => {
      const { sessions, committer, put, commit, entries } = world;
      const session = sessions.begin('a.md', 'create');
      const { held, release } = holdFirst(world);
      const sleeping = Promise.allSettled([commit(session, await put('new'))]);
      await held;
      session.state = 'closing';
      expect(await committer.endAttempts(session.sessionId)).toBe('not_committed');
      release();
      expect(await sleeping).toEqual([{ status: 'rejected', reason: expect.any(CommitSupersededError) }]);
      expect(await entries()).toEqual([]);
      await expect(commit(session, await put('new'))).rejects.toThrow(CommitSupersededError);
    });
  });

  it('a closer finds a commit whose attempt died before it could report it', async () => {
    await inCommitWorld(async ({ sessions, committer, put, commit }) => {
      const session = sessions.begin('a.md', 'create');
      await commit(session, await put('new'));
      Object.assign(session, { outcome: null, state: 'closing' });
      expect(await committer.endAttempts(session.sessionId)).toBe('committed');
    });
  });

  it('a write of a dead attempt is no failure while its directory cannot be made durable', async () => {
    await inCommitWorld(async ({ sessions, committer, put, commit, read }) => {
      const session = sessions.begin('a.md', 'create');
      const content = await put('new');
      await commit(session, content);
      Object.assign(session, { outcome: null, state: 'open' });
      await withFailingSync(() => expect(commit(session, content)).rejects.toThrow('EIO'));
      expect(await commit(session, content)).toMatchObject({ kind: 'committed' });
      Object.assign(session, { outcome: null, state: 'closing' });
      await withFailingSync(() => expect(committer.endAttempts(session.sessionId)).rejects.toThrow('EIO'));
      expect(await committer.endAttempts(session.sessionId)).toBe('committed');
      expect(await read('a.md')).toBe('new');
    });
  });

  it.each(['overwrite', 'append'] as const)(
    '%s: what somebody else writes between the look and the rename is kept',
    async (operation) => {
      await inCommitWorld(async (world) => {
        const { root, sessions, put, commit, read, entries } = world;
        await writeFile(join(root, 'a.md'), 'old');
        const { held, release } = holdFirst(world);
        const committing = commit(sessions.begin('a.md', operation), await put('new'));
        await held;
        await writeFile(join(root, 'a.md'), 'foreign');
        release();
        expect(await committing).toEqual({
          kind: 'failed',
          code: 'write_failed',
          reason: 'file was changed by somebody else meanwhile: a.md',
        });
        expect([await read('a.md'), await entries()]).toEqual(['foreign', ['a.md']]);
      });
    },
  );

  it.each(['create', 'overwrite'] as const)(
    '%s: a file that appears between the look and the write is kept, unless it is the same',
    async (operation) => {
      for (const [foreign, kind] of [
        ['foreign', 'failed'],
        ['new', 'committed'],
      ] as const) {
        await inCommitWorld(async (world) => {
          const { root, sessions, put, commit, read, entries } = world;
          const { held, release } = holdFirst(world);
          const committing = commit(sessions.begin('a.md', operation), await put('new'));
          await held;
          await writeFile(join(root, 'a.md'), foreign);
          release();
          expect(await committing).toMatchObject({ kind });
          expect([await read('a.md'), await entries()]).toEqual([foreign, ['a.md']]);
        });
      }
    },
  );

  it('after a death, a target that somebody else has changed is left to them', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, read }) => {
      await writeFile(join(root, 'a.md'), 'old');
      const session = sessions.begin('a.md', 'append');
      await commit(session, await put('new'));
      Object.assign(session, { outcome: null, state: 'open' });
      await writeFile(join(root, 'a.md'), 'oldnew and more');
      expect(await commit(session, await put('new'))).toMatchObject({
        code: 'write_failed',
        reason: 'file was changed by somebody else meanwhile: a.md',
      });
      expect(await read('a.md')).toBe('oldnew and more');
    });
  });
});
