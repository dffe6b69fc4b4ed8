import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { listTree } from '../../../src/files/workspace/tree.ts';

const FILES: Readonly<Record<string, string>> = {
  '.gitignore': '# comment\n*.log\n/only-root.txt\ndocs/*.tmp\nbin/\n!keep.log\r\nspace\\ name\n[ab]x.txt\n',
  'only-root.txt': '',
  'a.log': '',
  'keep.log': '',
  'ax.txt': '',
  'docs/x.tmp': '',
  'docs/deep/x.tmp': '',
  'bin/tool': '',
  'nested/only-root.txt': '',
  'nested/docs/x.tmp': '',
  'nested/b.log': '',
  'nested/bin/x': '',
  'nested/.gitignore': '/anchored.txt\nsub/x.md\nfree.md\n!b.log\n!bin/\n*.gen\n\\#hash\n',
  'nested/anchored.txt': '',
  'nested/deeper/anchored.txt': '',
  'nested/sub/x.md': '',
  'nested/other/sub/x.md': '',
  'nested/other/free.md': '',
  'nested/x.gen': '',
  'nested/#hash': '',
  'anchored.txt': '',
  'free.md': '',
  'x.gen': '',
  'odd [1] *!#/.gitignore': 'hidden.txt\n/top.txt\n',
  'odd [1] *!#/hidden.txt': '',
  'odd [1] *!#/top.txt': '',
  'odd [1] *!#/deep/top.txt': '',
  'odd 1 x/hidden.txt': '',
  'CASE.LOG': '',
};

describe('ignore rules', () => {
  let root: string;
  let workspace: Workspace;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'orion-ignore-'));
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    workspace = await openWorkspace({ root, hasProjectFolders: false });
  });
  afterAll(async () => {
    await workspace.close();
    await rm(root, { recursive: true, force: true });
  });

  const listed = async (path: string, includesIgnored = false) => {
    const tree = await listTree(workspace, 'p', path, { depth: 99, includesIgnored, limit: 1_000 });
    return tree.paths.filter((entry) => !entry.endsWith('/'));
  };

  it('nested .gitignore files hide exactly what git hides', async () => {
    const git = (...args: string[]) => spawnSync('git', ['-C', root, '-c', 'core.quotePath=false', ...args]);
    git('init', '-q');
    const files = git('ls-files', '-z', '--others', '--exclude-standard').stdout.toString().split('\0');
    await rm(join(root, '.git'), { recursive: true });
    expect(await listed('.')).toEqual(files.filter((file) => file !== '').sort());
  });

  it('a .gitignore is anchored to its own folder', async () => {
    const files = await listed('.');
    expect(files).toEqual(
      expect.arrayContaining(['anchored.txt', 'free.md', 'nested/deeper/anchored.txt', 'x.gen']),
    );
    for (const hidden of [
      'nested/anchored.txt',
      'nested/other/free.md',
      'nested/x.gen',
      'only-root.txt',
      'bin/tool',
    ]) {
      expect(files).not.toContain(hidden);
    }
  });

  it('a sub-directory that is listed by itself obeys the files above it, too', async () => {
    expect(await listed('nested')).toEqual((await listed('.')).filter((file) => file.startsWith('nested/')));
  });

  it('no_ignore lists everything', async () => {
    expect(await listed('.', true)).toEqual(Object.keys(FILES).sort());
  });

  it('an ignored directory asked for by name is listed', async () => {
    expect(await listed('bin')).toEqual(['bin/tool']);
  });
});
