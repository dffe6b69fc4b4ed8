/** Checks what two outlines of a workspace say about its changes, above all if they were cut. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outlineChanges, outlineOf } from '../../src/prompts/outline.ts';

/** The entries of a workspace: its files by their folders, where '' is the root. */
type Tree = ReadonlyMap<string, readonly string[]>;

const pathsOf = (tree: Tree): readonly string[] => {
  const folders = [...tree.keys()].filter((folder) => folder !== '').sort();
  const top = [...folders.map((folder) => `${folder}/`), ...(tree.get('') ?? [])];
  const byName = top.toSorted((one, other) => (one.replace('/', '') < other.replace('/', '') ? -1 : 1));
  return [
    ...byName,
    ...folders.flatMap((folder) => [...(tree.get(folder) ?? [])].sort().map((name) => `${folder}/${name}`)),
  ];
};

/** Returns the outline of a workspace as `listTree` lists it: level by level, at most 50 entries, then sorted. */
const outline = (paths: readonly string[]): readonly string[] =>
  outlineOf({ paths: paths.slice(0, 50).toSorted(), isTruncated: paths.length > 50 });

const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, '0')}`);

describe('the changes between two outlines', () => {
  it('name what was added and removed', () => {
    expect(outlineChanges(['a', 'b/', 'b/c'], ['a', 'b/', 'b/d'])).toEqual(['+ b/d', '- b/c']);
  });

  it.each([
    ['a new file', ['a', ...numbered(60, 'f')], ['+ a']],
    ['a removed file', numbered(60, 'f').slice(1), ['- f000']],
    ['a file behind the cut', [...numbered(60, 'f'), 'z'], []],
  ])('of a large workspace with %s name no other file', (_, after, changes) => {
    expect(outlineChanges(outline(numbered(60, 'f')), outline(after))).toEqual(changes);
  });

  it('conclude nothing from a name that is not shown as it is', () => {
    const odd = ['\u0001x', ...numbered(60, 'f')];
    expect(outlineChanges(outline(odd), outline(['\u0001x', 'e', ...numbered(60, 'f')]))).toEqual(['+ e']);
  });

  it('name what is gone and what is new once a large workspace has become small, and the reverse', () => {
    const [large, small] = [numbered(60, 'f'), ['a', 'f000']];
    const visible = large.slice(0, 49);
    expect(outlineChanges(outline(large), small)).toEqual([
      '+ a',
      ...visible.slice(1).map((path) => `- ${path}`),
    ]);
    expect(outlineChanges(small, outline(large))).toEqual([
      ...visible.slice(1).map((path) => `+ ${path}`),
      '- a',
    ]);
  });

  it('are true of any two workspaces, and complete if neither outline was cut', () => {
    const names = fc.subarray(numbered(40, 'n'), { minLength: 5 });
    const tree = fc
      .record({ '': names, a: names, n003x: names, z: names }, { requiredKeys: [''] })
      .map((folders): Tree => new Map(Object.entries(folders)));
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const [before, after] = [pathsOf(one), pathsOf(other)];
        const real = [
          ...after.filter((path) => !before.includes(path)).map((path) => `+ ${path}`),
          ...before.filter((path) => !after.includes(path)).map((path) => `- ${path}`),
        ];
        const changes = outlineChanges(outline(before), outline(after));
        expect(real).toEqual(expect.arrayContaining([...changes]));
        if (Math.max(before.length, after.length) <= 50) expect(changes.toSorted()).toEqual(real.toSorted());
      }),
    );
  });
});
