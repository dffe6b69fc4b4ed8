/** Tests what a search does not show: ignored files, secrets, other projects, and what lies outside the workspace. */
import { describe, expect, it } from '@jest/globals';
import { chmod, link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listTree } from '../../../src/files/workspace/tree.ts';
import { found, inTree, matches, search } from '../support/search-world.ts';

describe('search_files: what is hidden', () => {
  const TREE = {
    '.gitignore': '*.log\n/only-here/\n!dist/\n',
    'a.txt': 'needle',
    'a.log': 'needle',
    '.hidden': 'needle',
    '.ignore': 'a.txt\n',
    '.rgignore': 'a.txt\n',
    'only-here/x': 'needle',
    'sub/only-here/x': 'needle',
    'sub/.gitignore': 'y.txt\n/z.txt\n!keep.log\n',
    'sub/y.txt': 'needle',
    'sub/z.txt': 'needle',
    'sub/deep/y.txt': 'needle',
    'sub/deep/z.txt': 'needle',
    'sub/keep.log': 'needle',
    'dist/x': 'needle',
    'sub/dist/x': 'needle',
    'node_modules/m/i.js': 'needle',
    '.git/config': 'needle',
    'sub/.git': 'needle',
    '.env': 'needle',
    'sub/.ENV.local': 'needle',
    id_rsa: 'needle',
    'tls.KEY': 'needle',
    '.orion-tmp-00': 'needle',
  };

  const SHOWN = [
    '.hidden',
    'a.txt',
    'dist/x',
    'sub/deep/z.txt',
    'sub/dist/x',
    'sub/keep.log',
    'sub/only-here/x',
  ];

  it('the rules of list_files, each .gitignore anchored to its folder, from every directory', async () => {
    await inTree(TREE, async ({ workspace }) => {
      expect(await found(workspace)).toEqual(SHOWN);
      for (const path of ['sub', 'sub/deep', 'sub/dist', 'dist', 'only-here']) {
        for (const no_ignore of [false, true]) {
          const options = { depth: Infinity, includesIgnored: no_ignore, limit: 1_000 };
          const listed = (await listTree(workspace, 'p', path, options)).paths.filter(
            (entry) => !entry.endsWith('/') && !/\.gitignore|\.git$|ENV/.test(entry),
          );
          expect(await found(workspace, { path, no_ignore })).toEqual(listed);
        }
      }
    });
  });

  it('no_ignore shows what rules hide, never .git, secrets or unfinished writes, whatever the pattern', async () => {
    await inTree(TREE, async ({ workspace }) => {
      const all = await found(workspace, { no_ignore: true });
      expect(all).toEqual(
        expect.arrayContaining([...SHOWN, 'a.log', 'node_modules/m/i.js', 'only-here/x', 'sub/y.txt']),
      );
      for (const file_pattern of [
        '**',
        '.git/**',
        '.env*',
        '.ENV*',
        '*.KEY',
        'id_rsa',
        '.orion-tmp-*',
        '**/.git',
      ]) {
        for (const no_ignore of [true, false]) {
          for (const file of await found(workspace, { file_pattern, no_ignore })) {
            expect(file).not.toMatch(/\.git\/|\.git$|\.env|id_rsa|\.key$|\.orion-tmp/i);
          }
        }
      }
    });
  });

  it('a file_pattern takes back no rule', async () => {
    await inTree(TREE, async ({ workspace }) => {
      expect(await found(workspace, { file_pattern: '*.log' })).toEqual(['sub/keep.log']);
      expect(await found(workspace, { file_pattern: '**' })).toEqual(SHOWN);
    });
  });

  it('the number of matching files does not reveal what secret files hold', async () => {
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, 'needle']));
    await inTree({ ...many, '.env': 'needle', '.git/x': 'needle' }, async ({ workspace }) => {
      expect(await search(workspace, {})).toMatchObject({
        ok: true,
        result: { note: expect.stringContaining('400 files match') },
      });
    });
  });

  it('rules above the root do not count, and no name of a rules file is left behind', async () => {
    await inTree({ 'a.txt': 'needle' }, async ({ base, workspace }) => {
      await writeFile(join(base, '.gitignore'), '*\n');
      await writeFile(join(base, '.ignore'), '*\n');
      expect(await found(workspace)).toEqual(['a.txt']);
    });
  });

  it('each project sees its own folder', async () => {
    await inTree(
      { 'one/a.txt': 'needle', 'two/b.txt': 'needle', 'p/c.txt': 'needle' },
      async ({ root, workspace }) => {
        await symlink('../one', join(root, 'p/other'));
        expect(await found(workspace)).toEqual(['c.txt']);
        await expect(search(workspace, { path: 'other' })).rejects.toThrow('outside the workspace: other');
      },
      { hasProjectFolders: true },
    );
  });
});

describe('search_files and the jail', () => {
  it('a link that is swapped in between search and read is not read; a hard link is a file of its own', async () => {
    await inTree({ 'd/a.txt': 'needle' }, async ({ base, root, workspace }) => {
      await writeFile(join(base, 'outside.txt'), 'needle OUTSIDE');
      await link(join(base, 'outside.txt'), join(root, 'hard.txt'));
      await symlink('../outside.txt', join(root, 'out.txt'));
      await symlink('..', join(root, 'up'));
      await symlink('../../outside.txt', join(root, 'd/out.txt'));
      // Stands in for the first pass at the moment of the swap: it names all that a walk by path could name.
      const names = [
        'out.txt',
        'up/outside.txt',
        '../outside.txt',
        'd/out.txt',
        'd/../../outside.txt',
        'd/a.txt',
      ];
      const liar = join(base, 'liar');
      const real = await import('@vscode/ripgrep');
      const print = names.map((name) => `./${name}\\0`).join('');
      await writeFile(
        liar,
        `#!/bin/sh\ncase "$*" in *--files-with-matches*) printf '${print}';; *) exec ${real.rgPath} "$@";; esac\n`,
      );
      await chmod(liar, 0o755);
      const outcome = await search(workspace, {}, { program: () => Promise.resolve(liar) });
      expect(outcome).toEqual({ ok: true, result: { path: '.', matches: ['d/a.txt:1:needle'] } });
      expect(await matches(workspace)).toEqual(['d/a.txt:1:needle', 'hard.txt:1:needle OUTSIDE']);
    });
  });
});
