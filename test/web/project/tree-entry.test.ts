import { expect, it } from '@jest/globals';
import { treeEntries, unlistedFiles } from '../../../src/web/project/tree-entry.ts';

it('folders come first, and each entry says how many changed files it is or holds', () => {
  const changed = ['src/a.ts', 'src/deep/b.ts', 'srcs.ts', 'gone.md'];
  const entries = treeEntries(['README.md', 'src/', 'srcs.ts', 'test/'], changed);
  expect(entries.map(({ name, isFolder, changes }) => [name, isFolder, changes])).toEqual([
    ['src', true, 2],
    ['test', true, 0],
    ['README.md', false, 0],
    ['srcs.ts', false, 1],
  ]);
  const inside = treeEntries(['src/a.ts', 'src/deep/'], changed);
  expect(inside.map(({ path, changes }) => [path, changes])).toEqual([
    ['src/deep', 1],
    ['src/a.ts', 1],
  ]);
});

it('a change that is in no list is shown in the folder where its path ends', () => {
  const changed = ['src/a.ts', 'src/gone/b.ts', 'gone.md', 'srcs/c.ts'];
  expect(unlistedFiles('.', ['README.md', 'src/'], changed)).toEqual(['gone.md', 'srcs/c.ts']);
  expect(unlistedFiles('src', ['src/a.ts'], changed)).toEqual(['src/gone/b.ts']);
  expect(unlistedFiles('src', ['src/a.ts', 'src/gone/'], changed)).toEqual([]);
});
