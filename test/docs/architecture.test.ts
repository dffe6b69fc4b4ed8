/** The table of rooms in docs/architecture.md, held against the imports: what it says of them is so, and of all of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const page = readFileSync('docs/architecture.md', 'utf8');

/** From the ground up. */
const rooms = [...page.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, room = '']) => room),
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
  .filter((path) => /^(src|workflows|activities|worker|examples|test)\/.*\.(ts|mjs)$/.test(path))
  .filter((path) => existsSync(path));

/** Imports of other rooms, types included. */
const importsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';$/gm)]
    .map(([, target = '']) => join(dirname(path), target))
    .filter((target) => roomOf(target) !== roomOf(path));

it('has every room, and none that is not there', () => {
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

it('looks at imports at all', () => {
  expect(importsOf('workflows/turn-workflow.ts').map(roomOf)).toContain('src/protocol');
});
