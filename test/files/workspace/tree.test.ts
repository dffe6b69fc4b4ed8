/** Checks what a listing of the workspace shows when there is more than it may read or return. */
import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listTree } from '../../../src/files/workspace/tree.ts';
import { inTempWorkspace } from '../../tools/support/temp-workspace.ts';

/** One more than is read of one directory. */
const TOO_MANY = 20_001;

describe('a listing', () => {
  it('goes on after a directory that has more hidden entries than are read', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await mkdir(join(root, 'a'));
      await mkdir(join(root, 'b/c'), { recursive: true });
      await writeFile(join(root, '.gitignore'), 'a/*\n');
      await writeFile(join(root, 'b/c/shown.md'), '');
      for (let i = 0; i < TOO_MANY; i += 1) writeFileSync(join(root, 'a', `${i}.log`), '');
      const tree = await listTree(workspace, 'p', '.', { depth: 9, includesIgnored: false, limit: 100 });
      expect(tree).toEqual({
        paths: ['.gitignore', 'a/', 'b/', 'b/c/', 'b/c/shown.md'],
        isTruncated: true,
      });
    });
  });

  it('with a limit keeps the shallow entries', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await mkdir(join(root, 'a/b'), { recursive: true });
      await writeFile(join(root, 'a/b/deep.md'), '');
      await writeFile(join(root, 'z.md'), '');
      const options = { depth: 9, includesIgnored: false };
      const listed = (limit: number) => listTree(workspace, 'p', '.', { ...options, limit });
      expect(await listed(3)).toEqual({ paths: ['a/', 'a/b/', 'z.md'], isTruncated: true });
      expect(await listed(4)).toEqual({ paths: ['a/', 'a/b/', 'a/b/deep.md', 'z.md'], isTruncated: false });
    });
  });
});
