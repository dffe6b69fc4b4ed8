/** Compares docs/architecture.md with the files: it has all rooms and folders, and its walks lead from file to file. */
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CODE_FILES, FILES, importsIn, PRODUCT_FILES, sourceOf } from '../support/repository-files.ts';
import { folderOf, FOLDERS_OF_ROOMS, roomOf, ROOMS } from '../support/rooms.ts';

const page = sourceOf('docs/architecture.md');

it('the table has every room, and none that does not exist', () => {
  expect(ROOMS.toSorted()).toEqual([...new Set(CODE_FILES.map(roomOf))].toSorted());
});

/** Style sheets are a part of the page's room, too. */
const parts = [...PRODUCT_FILES, ...FILES.filter((path) => /^src\/web\/.*\.css$/.test(path))];

it('lists the folders of every room that has some, in the order of the rooms', () => {
  const found = ROOMS.map(
    (room) => [room, parts.filter((path) => roomOf(path) === room).map(folderOf)] as const,
  )
    .map(([room, folders]) => [room, [...new Set(folders)].filter((folder) => folder !== undefined)] as const)
    .filter(([, folders]) => folders.length > 0);
  expect([...FOLDERS_OF_ROOMS.keys()]).toEqual(found.map(([room]) => room));
  for (const [room, folders] of found) {
    expect(FOLDERS_OF_ROOMS.get(room)?.toSorted()).toEqual(folders.toSorted());
  }
});

/** Returns the files of a walk in their order; a bare name is a file in the folder that its list item names first. */
const walkOf = (heading: string): readonly string[] => {
  const section = page.split(`## ${heading}\n`)[1]?.split(/\n###? /)[0] ?? '';
  const named = section.split(/^(?=- \*\*|\d\. )/m).flatMap((item) => {
    const folder = /^- \*\*[\w ]+\*\* \(`([^`]+)`\)/.exec(item)?.[1];
    return Array.from(item.matchAll(/`([\w/-]+\.ts)`/g), ([, name = '']) => {
      if (name.includes('/')) return name;
      return folder === undefined ? '' : `${folder}/${name}`;
    });
  });
  return [...new Set(named)].filter((path) => path !== '' && !path.startsWith('src/trace/'));
};

/**
 * The files that a recorded run entered, in order, each where a kind of process entered it for the first time. A step
 * is the kind of process, a blank and the path.
 */
const recorded = JSON.parse(sourceOf('test/docs/walks/walks.json')) as Readonly<
  Record<'word' | 'upload', readonly string[]>
>;

const fileOf = (step: string): string => step.split(' ')[1] ?? '';

/**
 * Returns the first file of a walk that the recorded run did not enter after the earlier ones; undefined when there is
 * none.
 */
const outOfOrder = (walk: readonly string[], steps: readonly string[]): string | undefined => {
  let next = 0;
  return walk.find((path) => {
    const at = steps.findIndex((step, i) => i >= next && fileOf(step) === path);
    next = at + 1;
    return at === -1;
  });
};

/** Returns what a section names: files and whole folders; a bare file name stands for every file of that name. */
const namesIn = (heading: string): readonly string[] => {
  const section = page.split(`## ${heading}\n`)[1]?.split(/\n## /)[0] ?? '';
  return Array.from(section.matchAll(/`([\w./-]+)`/g), ([, name = '']) => name);
};

/** Matches the rooms that all code imports; two files are not connected by importing the same file of one of them. */
const PLAIN = /^src\/(?:contracts|base)\//;

const joints = new Map(
  PRODUCT_FILES.map((path) => [path, new Set([path, ...importsIn(path, sourceOf(path))])]),
);

/** Reports whether one file imports the other, or both import a third, such as a port or the data that is passed on. */
const areJoined = (a: string, b: string): boolean =>
  [...(joints.get(a) ?? [])].some((path) => joints.get(b)?.has(path) === true && !PLAIN.test(path));

describe.each([
  ['One word, from the provider to the browser', 18, recorded.word],
  ['One upload, from `curl -T` to the disk', 24, recorded.upload],
])('%s', (heading, count, steps) => {
  const walk = walkOf(heading);

  it('has as many files as the page says', () => {
    expect(page).toContain(`## ${heading}\n\n${count} files, in this order`);
    expect(walk).toHaveLength(count);
  });

  it('leads from file to file', () => {
    const stray = walk.filter(
      (path, i) => i > 0 && !walk.slice(0, i).some((before) => areJoined(before, path)),
    );
    expect(stray).toEqual([]);
  });

  it('has the order in which a run has entered them', () => {
    expect(outOfOrder(walk, steps)).toBeUndefined();
    expect(outOfOrder(walk.toReversed(), steps)).toBeDefined();
  });

  it('leaves out nothing that a run has entered', () => {
    const names = namesIn(heading);
    const untold = steps
      .map(fileOf)
      .filter((path) => !PLAIN.test(path))
      .filter((path) => !names.some((name) => path === name || path.startsWith(`${name}/`)))
      .filter((path) => !names.includes(basename(path)));
    expect(untold).toEqual([]);
  });

  it('was recorded from files that still exist; otherwise run `node test/docs/walks/record-walks.ts`', () => {
    expect(steps.map(fileOf).filter((path) => !FILES.includes(path))).toEqual([]);
  });
});
