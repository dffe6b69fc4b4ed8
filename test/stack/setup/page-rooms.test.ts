/**
 * Ties two lists of rooms to what the chat page imports: those that the Dockerfile copies for its build, and those of
 * which set-up makes a digest. The build itself is a script that only counts.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ensureWebPage } from '../../../src/stack/setup/web-page.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = join(root, 'src');

/** Returns the rooms that the files of a room import, itself among them. */
const importsOf = (room: string): readonly string[] =>
  readdirSync(join(sources, room), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .flatMap(({ parentPath, name }) =>
      [...readFileSync(join(parentPath, name), 'utf8').matchAll(/\b(?:from|import)\b[ (]*'(\.[^']+)'/g)].map(
        ([, path = '']) => relative(sources, join(parentPath, path)).split('/')[0] ?? '',
      ),
    );

/** Returns the rooms that the page is built from: its own, those that it imports, those that these import … */
const roomsOfPage = (): readonly string[] => {
  const rooms = new Set(['web']);
  for (const room of rooms) for (const imported of importsOf(room)) rooms.add(imported);
  return [...rooms].toSorted();
};

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'orion-page-rooms-'));
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(checkout, { recursive: true, force: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
};

const COUNTING_BUILD = `
import { appendFileSync, mkdirSync } from 'node:fs';
mkdirSync(process.argv[2]);
appendFileSync('builds', 'x');
`;

/** Makes the page unless it is up to date; returns the number of builds so far. */
const buildsAfterSetUp = (): number => {
  ensureWebPage(checkout, process.execPath);
  return readFileSync(join(checkout, 'builds'), 'utf8').length;
};

it('the Dockerfile copies what the page imports', () => {
  const copied = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^COPY src\/(\S+) /gm)];
  expect(copied.map(([, room = '']) => room).toSorted()).toEqual(roomsOfPage());
});

it('set-up builds the page again after a change in any room that it imports', () => {
  const rooms = roomsOfPage();
  expect(rooms).toContain('contracts');
  write('.orion/made', '');
  write('package-lock.json', '{}');
  for (const room of rooms) write(`src/${room}/a.ts`, 'before');
  write('src/web/build.mjs', COUNTING_BUILD);
  expect([buildsAfterSetUp(), buildsAfterSetUp()]).toEqual([1, 1]);
  const builds = rooms.map((room) => {
    write(`src/${room}/a.ts`, 'after');
    return [room, buildsAfterSetUp()];
  });
  expect(builds).toEqual(rooms.map((room, index) => [room, index + 2]));
});
