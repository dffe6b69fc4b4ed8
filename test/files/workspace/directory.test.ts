import { describe, expect, it } from '@jest/globals';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Directory, type EntryNaming } from '../../../src/files/workspace/directory.ts';
import { inTempWorkspace, openHandles } from '../../tools/support/temp-workspace.ts';

/**
 * Opens `<project>/a`, swaps it for a link to another project, and then enters its folder `b`: this holds open the
 * moment between check and use.
 */
const enterAfterSwap = async (root: string, naming: EntryNaming): Promise<readonly string[]> => {
  for (const project of ['one', 'two']) {
    await mkdir(join(root, project, 'a/b'), { recursive: true });
    await writeFile(join(root, project, 'a/b', `of-${project}`), '');
  }
  const top = await Directory.openRoot(root, { naming });
  const project = (await top.openChild('one')).asRoot();
  const a = await project.openChild('a');
  await rename(join(root, 'one/a'), join(root, 'one/moved'));
  await symlink('../two/a', join(root, 'one/a'));
  try {
    const b = await a.openChild('b');
    const entries = await readdir(b.base);
    await b.close();
    return entries;
  } finally {
    for (const directory of [a, project, top]) await directory.close();
  }
};

describe('a directory swapped for a link after it was opened', () => {
  it('is entered itself, and not the link, when it is reached by handle', async () => {
    await inTempWorkspace({}, async ({ root }) => {
      expect(await enterAfterSwap(root, 'handle')).toEqual(['of-one']);
    });
  });

  it('is refused when it is reached by path and leads to another project, and no handle stays open', async () => {
    await inTempWorkspace({}, async ({ root }) => {
      const handles = await openHandles();
      await expect(enterAfterSwap(root, 'path')).rejects.toThrow('outside the workspace: b');
      expect(await openHandles()).toBe(handles);
    });
  });
});
