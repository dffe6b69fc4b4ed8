import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WriteOperation } from '../../../src/contracts/write-session/write-session.ts';
import { chunksOf } from '../support/temp-store.ts';
import { inCommitWorld, type CommitWorld } from '../support/commit-world.ts';
import { itWithDisk, withSmallDisk } from '../support/ram-disk.ts';

describe('commit', () => {
  it('create makes parents, overwrite keeps the mode, append adds: bytes as they are, no temp left', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, read, entries }) => {
      const text = '\ufeffa\r\n\0 😀 no final newline';
      const content = await put(text);
      expect(await commit(sessions.begin('x/y/z.sh', 'create'), content)).toEqual({
        kind: 'committed',
        content,
      });
      expect(await read('x/y/z.sh')).toBe(text);
      await chmod(join(root, 'x/y/z.sh'), 0o751);
      await commit(sessions.begin('x/y/z.sh', 'overwrite'), await put('second\n'));
      await commit(sessions.begin('x/y/z.sh', 'append'), content);
      expect(await read('x/y/z.sh')).toBe(`second\n${text}`);
      expect((await stat(join(root, 'x/y/z.sh'))).mode & 0o7777).toBe(0o751);
      await commit(sessions.begin('new.md', 'overwrite'), content);
      expect(await entries()).toEqual(['new.md', 'x', 'x/y', 'x/y/z.sh']);
    });
  });

  it('without content the draft is committed', async () => {
    await inCommitWorld(async ({ sessions, store, commit, read }) => {
      const session = sessions.begin('a.md', 'create');
      await store.drafts.append(session.sessionId, 0, chunksOf('one\n'));
      await store.drafts.append(session.sessionId, 4, chunksOf('two\n'));
      expect(await commit(session)).toMatchObject({ kind: 'committed', content: { bytes: 8, lines: 2 } });
      expect(await read('a.md')).toBe('one\ntwo\n');
    });
  });

  it('a repeat after success gets the same answer, even when the target has changed since: nothing is appended twice', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, read }) => {
      await writeFile(join(root, 'log'), 'a');
      const session = sessions.begin('log', 'append');
      const first = await commit(session, await put('b'));
      await writeFile(join(root, 'log'), 'somebody else');
      expect(await commit(session, await put('b'))).toEqual(first);
      expect(await read('log')).toBe('somebody else');
    });
  });

  it('a create whose target already holds the same text succeeds; an undo of it removes nothing', async () => {
    await inCommitWorld(async ({ root, sessions, committer, put, commit, read }) => {
      await writeFile(join(root, 'a.md'), 'same');
      const session = sessions.begin('a.md', 'create');
      expect(await commit(session, await put('same'))).toMatchObject({ kind: 'committed' });
      sessions.end(session.sessionId, 'committed');
      expect(await committer.undo(session.sessionId)).toEqual({ kind: 'undone' });
      expect(await read('a.md')).toBe('same');
    });
  });

  it('two sessions on two files of one directory do not disturb each other', async () => {
    await inCommitWorld(async ({ sessions, put, commit, read, entries }) => {
      const names = Array.from({ length: 12 }, (_, n) => `d/${n}.md`);
      const write = async (name: string) => commit(sessions.begin(name, 'create'), await put(`of ${name}`));
      const outcomes = await Promise.all(names.map(write));
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['committed']));
      for (const name of names) expect(await read(name)).toBe(`of ${name}`);
      expect(await entries()).toHaveLength(names.length + 1);
    });
  });
});

/** What keeps each target from being written: [target, operation, code, reason]. */
const REFUSALS: readonly [string, WriteOperation, string, string][] = [
  ['there.md', 'create', 'write_failed', 'file exists: there.md'],
  ['missing.md', 'append', 'write_failed', 'missing file, nothing to append to: missing.md'],
  ['no/such/dir.md', 'append', 'write_failed', 'not found: no/such/dir.md'],
  ['folder', 'create', 'write_failed', 'is a directory: folder'],
  ['folder', 'overwrite', 'write_failed', 'is a directory: folder'],
  ['there.md/below', 'overwrite', 'write_failed', 'not a directory: there.md/below'],
  ['fifo', 'overwrite', 'validation_failed', 'not a regular file: fifo'],
  ['.git/hooks/pre-commit', 'create', 'validation_failed', 'inside .git, which tools do not write'],
  ['.GIT/config', 'overwrite', 'validation_failed', 'inside .git, which tools do not write'],
  ['to-git/hooks/pre-commit', 'create', 'validation_failed', 'inside .git, which tools do not write'],
  ['/etc/passwd', 'append', 'validation_failed', 'outside the workspace: /etc/passwd'],
  ['../out.md', 'create', 'validation_failed', 'outside the workspace: ../out.md'],
  ['escape/out.md', 'create', 'validation_failed', 'outside the workspace: escape/out.md'],
  ['a\0b', 'create', 'validation_failed', 'path holds a NUL character'],
  ['n'.repeat(300), 'create', 'validation_failed', 'name too long'],
];

const layOut = async (root: string): Promise<void> => {
  await writeFile(join(root, 'there.md'), 'old');
  for (const path of ['folder', '.git/hooks']) await mkdir(join(root, path), { recursive: true });
  await mkdir(join(root, '../outside'));
  await symlink('../outside', join(root, 'escape'));
  await symlink('.git', join(root, 'to-git'));
  spawnSync('mkfifo', [join(root, 'fifo')]);
};

describe('commit: a failure says why and leaves everything as it was', () => {
  it.each(REFUSALS)('%j, %s', async (path, operation, code, reason) => {
    await inCommitWorld(async ({ root, sessions, put, commit, read, entries }) => {
      await layOut(root);
      const before = await entries();
      const outcome = await commit(sessions.begin(path, operation), await put('new'));
      expect(outcome).toEqual({ kind: 'failed', code, reason: expect.stringContaining(reason) });
      expect(await entries()).toEqual(before);
      expect(await read('there.md')).toBe('old');
    });
  });

  it('is refused for no content, only blanks, bytes that are no text, and pruned content', async () => {
    await inCommitWorld(async ({ sessions, store, put, provide, commit, entries }) => {
      const drafts = { none: [], blank: [' \n'], bytes: [Buffer.from([0x61, 0xff])] };
      for (const chunks of Object.values(drafts)) {
        const session = sessions.begin('a.md', 'create');
        for (const chunk of chunks) await store.drafts.append(session.sessionId, 0, chunksOf(chunk));
        expect(await commit(session)).toMatchObject({ kind: 'failed', code: 'validation_failed' });
      }
      const content = await put('text');
      const pruned = sessions.begin('a.md', 'create');
      await provide(pruned, content);
      await store.prune(new Date(Date.now() + 25 * 3_600_000));
      expect(await commit(pruned, content)).toMatchObject({
        code: 'validation_failed',
        reason: expect.stringContaining('send it again'),
      });
      expect(await entries()).toEqual([]);
    });
  });

  it('content whose stored bytes were damaged is noticed before the target is touched', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, read, entries }) => {
      await writeFile(join(root, 'a.md'), 'old');
      const content = await put('text');
      const lied = { ...content, bytes: content.bytes + 1 };
      expect(await commit(sessions.begin('a.md', 'overwrite'), lied)).toMatchObject({
        code: 'validation_failed',
      });
      expect([await read('a.md'), await entries()]).toEqual(['old', ['a.md']]);
    });
  });

  it('after a failed commit the next one is a new try', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, read }) => {
      const session = sessions.begin('a.md', 'append');
      expect(await commit(session, await put('b'))).toMatchObject({ kind: 'failed' });
      await writeFile(join(root, 'a.md'), 'a');
      expect(await commit(session, await put('b'))).toMatchObject({ kind: 'committed' });
      expect(await read('a.md')).toBe('ab');
    });
  });

  it('a path that leads elsewhere since the session began is not followed', async () => {
    await inCommitWorld(async ({ root, sessions, put, commit, entries }) => {
      for (const path of ['one', 'two']) await mkdir(join(root, path));
      await symlink('one', join(root, 'link'));
      const session = sessions.begin('link/a.md', 'create', 'one/a.md');
      await rm(join(root, 'link'));
      await symlink('two', join(root, 'link'));
      expect(await commit(session, await put('text'))).toMatchObject({
        code: 'write_failed',
        reason: 'path leads to another file than when the session began: link/a.md',
      });
      expect(await entries()).toEqual(['link', 'one', 'two']);
    });
  });

  it('an abort before the target is touched leaves it, and no temp', async () => {
    await inCommitWorld(async ({ root, sessions, committer, put, provide, read, entries }) => {
      await writeFile(join(root, 'a.md'), 'old');
      const { sessionId } = sessions.begin('a.md', 'overwrite');
      const cancel = new AbortController();
      sessions.planStored = () => Promise.resolve(cancel.abort(new Error('cancelled')));
      const content = await put('new');
      await provide({ sessionId }, content);
      const input = { sessionId, firstExecutionRunId: 'run', content };
      await expect(committer.commit(input, cancel.signal)).rejects.toThrow('cancelled');
      expect([await read('a.md'), await entries()]).toEqual(['old', ['a.md']]);
    });
  });
});

const onRoot = process.geteuid?.() === 0 ? it : it.skip;

describe('commit: a disk that refuses', () => {
  itWithDisk('is full once half of the temp is written', () =>
    inCommitWorld((world) => withSmallDisk(join(world.root, 'disk'), () => checkFullDisk(world))),
  );

  onRoot('has permissions on file and directory that bind everybody except root', async () => {
    await inCommitWorld(async ({ root, sessions, store, put, provide, commit, entries }) => {
      await store.drafts.readSize(sessions.begin('x', 'create').sessionId);
      for (const path of ['closed', 'open']) await mkdir(join(root, path));
      await writeFile(join(root, 'open/kept.md'), 'old');
      const content = await put('new');
      spawnSync('chown', ['-R', 'nobody', join(root, '..')]);
      await chmod(join(root, 'closed'), 0o555);
      await chmod(join(root, 'open/kept.md'), 0o444);
      const before = await entries();
      for (const path of ['closed/new.md', 'open/kept.md']) {
        const session = sessions.begin(path, 'overwrite');
        await provide(session, content);
        const outcome = await asNobody(() => commit(session, content));
        expect(outcome).toMatchObject({
          code: 'write_failed',
          reason: expect.stringMatching(/^permission denied/),
        });
      }
      expect(await entries()).toEqual(before);
    });
  });
});

const checkFullDisk = async ({ sessions, put, commit, read, entries }: CommitWorld): Promise<void> => {
  await commit(sessions.begin('disk/a.md', 'create'), await put('old'));
  for (const operation of ['overwrite', 'append'] as const) {
    const outcome = await commit(sessions.begin('disk/a.md', operation), await put('x'.repeat(200_000)));
    expect(outcome).toEqual({
      kind: 'failed',
      code: 'write_failed',
      reason: 'no space left: disk/a.md',
    });
  }
  expect(await entries()).toEqual(['disk', 'disk/a.md']);
  expect(await read('disk/a.md')).toBe('old');
};

const NOBODY = 65_534;

const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};
