import { describe, expect, it } from '@jest/globals';
import { chmod, chown, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WriteNotDurableError } from '../../../src/files/workspace/replace-file.ts';
import { anyFence, inTempWorkspace, openHandles, readText } from '../../tools/support/temp-workspace.ts';
import { withFailingSync } from '../support/failing-sync.ts';
import { itWithDisk, withSmallDisk } from '../support/ram-disk.ts';

const NOBODY = 65_534;

/** Runs `work` without the rights of root, whom no file permission stops. */
const asOrdinaryUser = async (work: () => Promise<void>): Promise<void> => {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
};

describe('atomic write', () => {
  it('makes missing directories, says created then overwritten, and writes bytes as they are', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      const bytes = Buffer.from('\ufeffa\r\n\0 😀 no final newline');
      expect(await workspace.writeFile('p', 'x/y/z.txt', bytes, { fence: anyFence() })).toBe('created');
      expect(await workspace.writeFile('p', 'x/y/z.txt', bytes, { fence: anyFence() })).toBe('overwritten');
      expect(await readFile(join(root, 'x/y/z.txt'))).toEqual(bytes);
      expect(await readdir(join(root, 'x/y'))).toEqual(['z.txt']);
    });
  });

  it('keeps the permission bits of the file it replaces', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await writeFile(join(root, 'run.sh'), 'old');
      await chmod(join(root, 'run.sh'), 0o751);
      await workspace.writeFile('p', 'run.sh', Buffer.from('new'), { fence: anyFence() });
      expect((await stat(join(root, 'run.sh'))).mode & 0o7777).toBe(0o751);
    });
  });

  it('a reader at any moment sees one whole version, never a torn one', async () => {
    await inTempWorkspace({}, async ({ workspace }) => {
      const version = (letter: string) => Buffer.alloc(300_000, letter);
      await workspace.writeFile('p', 'f.txt', version('a'), { fence: anyFence() });
      const finished = new AbortController();
      const write = async () => {
        for (let n = 0; n < 30; n += 1) {
          await workspace.writeFile('p', 'f.txt', version(n % 2 === 0 ? 'b' : 'a'), { fence: anyFence() });
        }
        finished.abort();
      };
      const seen = new Set<string>();
      const read = async () => {
        while (!finished.signal.aborted) {
          const text = await readText(workspace, 'f.txt');
          seen.add(`${text.length} of ${[...new Set(text)].join('')}`);
        }
      };
      await Promise.all([write(), read(), read()]);
      expect([...seen].sort()).toEqual(['300000 of a', '300000 of b']);
    });
  });

  it('leaves the old content and no temp when it is aborted while its temp is being filled', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await writeFile(join(root, 'f.txt'), 'old');
      const cancel = new AbortController();
      const writing = workspace.writeFile('p', 'f.txt', Buffer.alloc(30_000_000, 'x'), {
        fence: anyFence(),
        signal: cancel.signal,
      });
      while ((await readdir(root)).length === 1);
      cancel.abort(new Error('cancelled'));
      await expect(writing).rejects.toThrow('cancelled');
      expect(await readdir(root)).toEqual(['f.txt']);
      expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('old');
    });
  });

  it('temps of a killed process are removed by the next write, those of running writes are not', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      for (const name of ['.orion-tmp-old', '.orion-tmp-new', 'old.txt']) {
        await writeFile(join(root, name), '');
      }
      const longAgo = new Date(Date.now() - 3_600_000);
      for (const name of ['.orion-tmp-old', 'old.txt']) await utimes(join(root, name), longAgo, longAgo);
      await workspace.writeFile('p', 'f.txt', Buffer.from('x'), { fence: anyFence() });
      expect((await readdir(root)).sort()).toEqual(['.orion-tmp-new', 'f.txt', 'old.txt']);
    });
  });

  it('failures name their reason, leave no temp and no open handle', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await mkdir(join(root, 'folder'));
      await writeFile(join(root, 'file'), 'old');
      const handles = await openHandles();
      const failing = [
        ['folder', 'is a directory: folder'],
        ['file/below', 'not a directory: file/below'],
        [`folder/${'n'.repeat(300)}`, 'name too long: folder/nnn'],
      ] as const;
      for (const [path, message] of failing) {
        await expect(workspace.writeFile('p', path, Buffer.from('x'), { fence: anyFence() })).rejects.toThrow(
          message,
        );
      }
      expect(await openHandles()).toBe(handles);
      expect(await readdir(root, { recursive: true })).toEqual(['file', 'folder']);
    });
  });

  it('a read-only file and a read-only directory are respected', async () => {
    await inTempWorkspace({}, async ({ base, root, workspace }) => {
      await mkdir(join(root, 'closed'));
      await writeFile(join(root, 'kept.txt'), 'old');
      for (const path of [base, root, join(root, 'closed'), join(root, 'kept.txt')]) {
        await chown(path, process.geteuid?.() === 0 ? NOBODY : (process.geteuid?.() ?? 0), -1);
      }
      await chmod(join(root, 'kept.txt'), 0o444);
      await chmod(join(root, 'closed'), 0o555);
      await asOrdinaryUser(async () => {
        for (const path of ['kept.txt', 'closed/new.txt', 'closed/deeper/new.txt']) {
          await expect(
            workspace.writeFile('p', path, Buffer.from('x'), { fence: anyFence() }),
          ).rejects.toThrow(`permission denied: ${path}`);
        }
      });
      expect(await readFile(join(root, 'kept.txt'), 'utf8')).toBe('old');
      expect(await readdir(join(root, 'closed'))).toEqual([]);
    });
  });

  it('a file that is replaced is not reported as untouched when its directory cannot be synced', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await writeFile(join(root, 'f.txt'), 'old');
      await withFailingSync(async () => {
        await expect(
          workspace.writeFile('p', 'f.txt', Buffer.from('new'), { fence: anyFence() }),
        ).rejects.toThrow(WriteNotDurableError);
      });
      expect(await readFile(join(root, 'f.txt'), 'utf8')).toBe('new');
    });
  });

  itWithDisk('a full disk leaves the old content and no temp', () =>
    inTempWorkspace({}, ({ root, workspace }) =>
      withSmallDisk(join(root, 'disk'), async () => {
        await workspace.writeFile('p', 'disk/f.txt', Buffer.from('old'), { fence: anyFence() });
        await expect(
          workspace.writeFile('p', 'disk/f.txt', Buffer.alloc(200_000), { fence: anyFence() }),
        ).rejects.toThrow('no space left: disk/f.txt');
        expect(await readdir(join(root, 'disk'))).toEqual(['f.txt']);
        expect(await readText(workspace, 'disk/f.txt')).toBe('old');
      }),
    ),
  );
});
