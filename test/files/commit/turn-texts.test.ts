/** Covers the texts that a turn made of files, over real files and copies and with changes in memory. */
import { createHash } from 'node:crypto';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type FileTexts, readTurnTexts } from '../../../src/files/commit/turn-texts.ts';
import { inTempWorkspace } from '../../tools/support/temp-workspace.ts';
import { MemoryChanges } from '../support/memory-changes.ts';
import { inTempStore } from '../support/temp-store.ts';

const TURN = { turnId: 't', projectId: 'p' };
const stateOf = (bytes: Buffer) => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes: bytes.byteLength,
});

interface TextWorld {
  readonly root: string;
  readonly changes: MemoryChanges;
  /** Changes a file as a turn does, and keeps a copy of its old content. */
  change(path: string, before: string | Buffer | null, after: string | Buffer): Promise<void>;
  readTexts(path: string): Promise<FileTexts | undefined>;
}

const inTextWorld = (test: (world: TextWorld) => Promise<void>): Promise<void> =>
  inTempWorkspace({}, ({ root, workspace }) =>
    inTempStore(1_000_000, async ({ store }) => {
      const changes = new MemoryChanges();
      await test({
        root,
        changes,
        change: async (path, before, after) => {
          const old = before === null ? null : Buffer.from(before);
          if (old) {
            await store.undo.storeCopy(
              (async function* () {
                // The bytes are copied because the store takes ownership of what it is given.
                yield Buffer.from(old);
              })(),
            );
          }
          await writeFile(join(root, path), after);
          const states = { before: old && stateOf(old), after: stateOf(Buffer.from(after)) };
          changes.add('t', { path, ...states, isCertain: true });
        },
        readTexts: (path) => readTurnTexts({ workspace, contents: store, changes }, TURN, path),
      });
    }),
  );

describe('texts of a file that a turn has changed', () => {
  it('are those before its first change and after its last', async () => {
    await inTextWorld(async ({ change, readTexts }) => {
      await change('a.md', 'one', 'two');
      await change('a.md', 'two', 'three');
      await change('made.md', null, 'new');
      expect(await readTexts('./a.md')).toEqual({ before: 'one', after: 'three' });
      expect(await readTexts('made.md')).toEqual({ before: null, after: 'new' });
    });
  });

  it('exist only for files that the turn has changed, wherever a path leads', async () => {
    await inTextWorld(async ({ root, change, readTexts }) => {
      expect(await readTexts('other.md')).toBeUndefined();
      await change('a.md', 'one', 'two');
      await writeFile(join(root, 'other.md'), 'x');
      expect(await readTexts('other.md')).toBeUndefined();
      await symlink('/etc', join(root, 'away'));
      await expect(readTexts('away/passwd')).rejects.toMatchObject({ code: 'outside' });
      await expect(readTexts('../a.md')).rejects.toMatchObject({ code: 'outside' });
    });
  });

  it.each([
    ['a.md', 'one', 'x'.repeat(300_000), 'The file is too long to be compared, or holds secrets.'],
    ['a.md', 'x'.repeat(300_000), 'two', 'What the file held before is not kept, or too long.'],
    ['.env', 'KEY=1', 'KEY=2', 'The file is too long to be compared, or holds secrets.'],
    ['a.bin', 'one', Buffer.from([0, 1]), 'The file is no text.'],
    ['a.bin', Buffer.from([0xff]), 'two', 'The file is no text.'],
  ])('are left out where nobody could compare or may see them: %s', async (path, before, after, reason) => {
    await inTextWorld(async ({ change, readTexts }) => {
      await change(path, before, after);
      expect(await readTexts(path)).toEqual({ reason });
    });
  });

  it('are left out for files that have changed since, or whose change was undone', async () => {
    await inTextWorld(async ({ root, changes, change, readTexts }) => {
      for (const path of ['by-hand.md', 'gone.md', 'between.md', 'undone.md']) await change(path, null, '1');
      await writeFile(join(root, 'by-hand.md'), '2');
      await rm(join(root, 'gone.md'));
      await change('between.md', 'by somebody', '3');
      await changes.markUndone('t', 'undone.md');
      const since = { reason: 'The file was changed since the turn.' };
      expect([await readTexts('by-hand.md'), await readTexts('gone.md')]).toEqual([since, since]);
      expect(await readTexts('between.md')).toEqual({
        reason: 'Something else changed the file between two changes of the turn.',
      });
      expect(await readTexts('undone.md')).toEqual({ reason: 'What the turn changed was taken back.' });
    });
  });
});
