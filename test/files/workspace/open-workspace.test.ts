import { expect, it } from '@jest/globals';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTempWorkspace } from '../../tools/support/temp-workspace.ts';

it('the size of what a write would replace is null only where there is no file', async () => {
  await inTempWorkspace({}, async ({ workspace, root }) => {
    await mkdir(join(root, 'a'));
    await writeFile(join(root, 'a/full.txt'), 'äb');
    await writeFile(join(root, 'a/empty.txt'), '');
    expect(await workspace.readTargetBytes('p', 'a/full.txt')).toBe(3);
    expect(await workspace.readTargetBytes('p', 'a/empty.txt')).toBe(0);
    expect(await workspace.readTargetBytes('p', 'a/none.txt')).toBeNull();
    expect(await workspace.readTargetBytes('p', 'none/none.txt')).toBeNull();
    await symlink('full.txt', join(root, 'a/link.txt'));
    expect(await workspace.readTargetBytes('p', 'a/link.txt')).toBe(3);
    await symlink('../../outside.txt', join(root, 'a/out.txt'));
    for (const path of ['a/out.txt', '../outside.txt']) {
      await expect(workspace.readTargetBytes('p', path)).rejects.toThrow('outside the workspace');
    }
  });
});
