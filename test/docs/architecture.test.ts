/** Compares the table of rooms in docs/architecture.md with the imports: the table is correct and complete. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const page = readFileSync('docs/architecture.md', 'utf8');

/** The rooms of the table, which lists them from the ground up. */
const rooms = [...(page.split('## Where things are\n')[1] ?? '').matchAll(/^\| (`.*?) +\|/gm)].flatMap(
  ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, room = '']) => room),
);

const roomOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('src/') ? 2 : 1)
    .join('/');

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /^(src|workflows|activities|worker|examples|test)\/.*\.(ts|tsx|mjs)$/.test(path))
  .filter((path) => existsSync(path));

/** Returns the imports of a file, including those of types. */
const allImportsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';$/gm)].map(
    ([, target = '']) => join(dirname(path), target),
  );

const importsOf = (path: string): readonly string[] =>
  allImportsOf(path).filter((target) => roomOf(target) !== roomOf(path));

it('the table has every room, and none that does not exist', () => {
  expect(rooms.toSorted()).toEqual([...new Set(files.map(roomOf))].toSorted());
});

it('a room imports only from those before it', () => {
  const downward = files.flatMap((path) =>
    importsOf(path)
      .filter((target) => rooms.indexOf(roomOf(target)) > rooms.indexOf(roomOf(path)))
      .map((target) => `${path} imports ${target}`),
  );
  expect(downward).toEqual([]);
});

/** Returns the folder of a room that contains a file; undefined for a file directly in the room. */
const folderOf = (path: string): string | undefined =>
  path
    .slice(roomOf(path).length + 1)
    .split('/')
    .slice(0, -1)[0];

/**
 * The folders of each room that has folders, in the order of the page. What the page says in brackets behind a folder
 * is left out.
 */
const folderLists = new Map(
  Array.from(
    (page.split('### The folders of a room\n')[1]?.split('\n## ')[0] ?? '').matchAll(
      /^- `([^`]+)`: ((?:.|\n(?!- ))*)/gm,
    ),
    ([, room = '', list = '']) => [
      room,
      Array.from(list.replace(/\([^)]*\)/g, '').matchAll(/`([^`]+)`/g), ([, folder = '']) => folder),
    ],
  ),
);

/** Style sheets are a part of the page's room, too. */
const parts = [...files, ...globSync('src/web/*/*.css')].filter((path) => !/^(?:examples|test)\//.test(path));

it('lists the folders of every room that has some, in the order of the rooms', () => {
  const found = rooms
    .map((room) => [room, parts.filter((path) => roomOf(path) === room).map(folderOf)] as const)
    .map(([room, folders]) => [room, [...new Set(folders)].filter((folder) => folder !== undefined)] as const)
    .filter(([, folders]) => folders.length > 0);
  expect([...folderLists.keys()]).toEqual(found.map(([room]) => room));
  for (const [room, folders] of found) expect(folderLists.get(room)?.toSorted()).toEqual(folders.toSorted());
});

it('a folder imports only from those before it', () => {
  const downward = parts
    .filter((path) => !path.endsWith('.css'))
    .flatMap((path) => {
      const order = folderLists.get(roomOf(path)) ?? [];
      const own = order.indexOf(folderOf(path) ?? '');
      return allImportsOf(path)
        .filter((target) => own !== -1 && roomOf(target) === roomOf(path))
        .filter((target) => order.indexOf(folderOf(target) ?? '') > own)
        .map((target) => `${path} imports ${target}`);
    });
  expect(downward).toEqual([]);
});

it('looks at imports at all', () => {
  expect(importsOf('workflows/turn/turn-workflow.ts').map(roomOf)).toContain('src/protocol');
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
const recorded = JSON.parse(readFileSync('test/docs/walks/walks.json', 'utf8')) as Readonly<
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

const code = files.filter((path) => !/^(?:test|examples)\//.test(path));
const joints = new Map(code.map((path) => [path, new Set([path, ...allImportsOf(path)])]));

/** Reports whether one file imports the other, or both import a third, such as a port or the data that is passed on. */
const areJoined = (a: string, b: string): boolean =>
  [...(joints.get(a) ?? [])].some((path) => joints.get(b)?.has(path) === true && !PLAIN.test(path));

describe.each([
  ['One word, from the provider to the browser', 16, recorded.word],
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
    expect(steps.map(fileOf).filter((path) => !existsSync(path))).toEqual([]);
  });
});
