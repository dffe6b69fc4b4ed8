import { describe, expect, it } from '@jest/globals';
import { appendFile, chmod, chown, mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCommitter } from '../../../src/files/commit/committer.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { chunksOf } from '../support/temp-store.ts';
import { inCommitWorld, type CommitWorld } from '../support/commit-world.ts';
import { itWithDisk, withSmallDisk } from '../support/ram-disk.ts';

/** Returns a store that does everything as `store` does, except that it links with `link`. */
const withLink = (store: ContentStore, link: ContentStore['link']): ContentStore => ({
  put: (...args) => store.put(...args),
  putAdmitted: (...args) => store.putAdmitted(...args),
  putEmpty: (sessionId) => store.putEmpty(sessionId),
  open: (...args) => store.open(...args),
  has: (...args) => store.has(...args),
  link,
  drafts: store.drafts,
  forget: (sessionId) => store.forget(sessionId),
  undo: store.undo,
  prune: (...args) => store.prune(...args),
});

const onRoot = process.geteuid?.() === 0 ? it : it.skip;

describe('a target that is the stored file itself', () => {
  it('is written once: the target has the stored bytes, not a copy of them', async () => {
    await inCommitWorld(async ({ root, sessions, store, put, provide, commit }) => {
      const session = sessions.begin('a.md', 'create');
      const content = await put('text');
      await provide(session, content);
      const stored = await store.open(session.sessionId, content.sha256);
      await commit(session, content);
      expect((await stat(join(root, 'a.md'))).ino).toBe((await stored?.stat())?.ino);
      await stored?.close();
    });
  });

  it('has the permissions of any new file', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit }) => {
      await writeFile(join(root, 'any'), '');
      await commit(sessions.begin('new.md', 'create'), await put('text'));
      const [made, any] = await Promise.all(['new.md', 'any'].map((name) => stat(join(root, name))));
      expect(made?.mode).toBe(any?.mode);
    });
  });

  it('keeps its times, however often the store is asked for the same content', async () => {
    await inCommitWorld(async ({ root, sessions, store, put, provide }) => {
      const session = sessions.begin('a.md', 'create');
      const content = await put('text');
      await provide(session, content);
      expect(await store.link(session.sessionId, content.sha256, join(root, 'a.md'))).toBe(true);
      await utimes(join(root, 'a.md'), 1, 1);
      expect(await store.has(session.sessionId, content.sha256)).toBe(true);
      expect((await stat(join(root, 'a.md'))).mtimeMs).toBe(1_000);
    });
  });

  it('is a file of its own: of two with the same content one can be changed', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, read }) => {
      const content = await put('same');
      const names = Array.from({ length: 8 }, (_, n) => `${n}.md`);
      await Promise.all(names.map((name) => commit(sessions.begin(name, 'create'), content)));
      const stats = await Promise.all(names.map((name) => stat(join(root, name))));
      expect(new Set(stats.map(({ ino }) => ino)).size).toBe(names.length);
      await appendFile(join(root, '0.md'), ' and more');
      for (const name of names.slice(1)) expect(await read(name)).toBe('same');
    });
  });

  it.each([
    [
      'stored anew',
      'committed',
      ({ store }: CommitWorld, sessionId: string) => store.put(sessionId, chunksOf('same')),
    ],
    ['pruned', 'failed', ({ store }: CommitWorld) => store.prune(new Date(Date.now() + 48 * 3_600_000))],
  ] as const)(
    'is no other target, though the content is %s between link and look',
    async (_name, kind, meanwhile) => {
      await inCommitWorld(async (world) => {
        const { root, sessions, store, workspace, put, provide, commit, read } = world;
        const content = await put('same');
        const contents = withLink(store, async (sessionId, sha256, path) => {
          await commit(sessions.begin('b.md', 'create'), content);
          const isLinked = await store.link(sessionId, sha256, path);
          await meanwhile(world, sessionId);
          return isLinked;
        });
        const interrupted = createCommitter({ workspace, contents, sessions });
        const session = sessions.begin('a.md', 'create');
        await provide(session, content);
        const input = { sessionId: session.sessionId, firstExecutionRunId: 'run', content };
        const outcome = await interrupted.commit(input, new AbortController().signal);
        expect(await read('b.md')).toBe('same');
        expect(outcome.kind).toBe(kind);
        await appendFile(join(root, 'a.md'), ' changed');
        expect(await read('b.md')).toBe('same');
      });
    },
  );

  it('may be changed in place: what another session has stored does not change with it', async () => {
    await inCommitWorld(async ({ root, sessions, put, provide, commit, read }) => {
      const content = await put('text');
      const [first, second] = [sessions.begin('a.md', 'create'), sessions.begin('b.md', 'create')];
      await provide(second, content);
      await commit(first, content);
      await appendFile(join(root, 'a.md'), ' changed');
      expect(await commit(second, content)).toMatchObject({ kind: 'committed' });
      expect([await read('a.md'), await read('b.md')]).toEqual(['text changed', 'text']);
    });
  });

  it('stored bytes that were changed before are not committed', async () => {
    await inCommitWorld(async ({ folder, sessions, put, provide, commit, entries }) => {
      const session = sessions.begin('a.md', 'create');
      const content = await put('text');
      await provide(session, content);
      await writeFile(join(folder, `${session.sessionId}.${content.sha256}`), 'else');
      expect(await commit(session, content)).toMatchObject({
        code: 'validation_failed',
        reason: expect.stringContaining('send it again'),
      });
      expect(await entries()).toEqual([]);
    });
  });

  it('is undone like any other commit', async () => {
    await inCommitWorld(async ({ root, sessions, committer, put, commit, read }) => {
      await writeFile(join(root, 'a.md'), 'old');
      const { sessionId } = sessions.begin('a.md', 'overwrite');
      await commit({ sessionId }, await put('new'));
      sessions.end(sessionId, 'committed');
      expect(await committer.undo(sessionId)).toEqual({ kind: 'undone' });
      expect(await read('a.md')).toBe('old');
    });
  });
});

describe('a target that is a copy', () => {
  itWithDisk('on another file system', () =>
    inCommitWorld(({ root, sessions, put, commit, read }) =>
      withSmallDisk(join(root, 'disk'), async () => {
        const outcome = await commit(sessions.begin('disk/a.md', 'create'), await put('text'));
        expect(outcome).toMatchObject({ kind: 'committed' });
        expect(await read('disk/a.md')).toBe('text');
      }),
    ),
  );

  onRoot('in a directory that gives its files to another group', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit }) => {
      await mkdir(join(root, 'shared'));
      await chown(join(root, 'shared'), 0, 4_242);
      await chmod(join(root, 'shared'), 0o2775);
      await commit(sessions.begin('shared/a.md', 'create'), await put('text'));
      expect(await stat(join(root, 'shared/a.md'))).toMatchObject({ gid: 4_242, nlink: 1 });
    });
  });

  it('a file with other permissions is a copy, so that an attempt that wakes up late cannot change it', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit }) => {
      await writeFile(join(root, 'old.sh'), 'old');
      await chmod(join(root, 'old.sh'), 0o750);
      await commit(sessions.begin('old.sh', 'overwrite'), await put('script'));
      const { mode, nlink } = await stat(join(root, 'old.sh'));
      expect([mode & 0o7777, nlink]).toEqual([0o750, 1]);
    });
  });

  it('a file to which text is appended is a copy, and the stored content stays as it is', async () => {
    await inCommitWorld(async ({ root, sessions, store, commit, read }) => {
      await writeFile(join(root, 'log'), 'a');
      const session = sessions.begin('log', 'append');
      await store.drafts.append(session.sessionId, 0, chunksOf('b'));
      await commit(session);
      expect([await read('log'), (await stat(join(root, 'log'))).nlink]).toEqual(['ab', 1]);
    });
  });
});
