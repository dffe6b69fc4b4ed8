import { sourceOf } from './repository-files.ts';

const page = sourceOf('docs/architecture.md');

/** The rooms in the order of docs/architecture.md, which lists them from the ground up. */
export const ROOMS = [...(page.split('## Where things are\n')[1] ?? '').matchAll(/^\| (`.*?) +\|/gm)].flatMap(
  ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, room = '']) => room),
);

/**
 * The folders of each room that has folders, in the order of docs/architecture.md. What the page says in brackets
 * behind a folder is left out.
 */
export const FOLDERS_OF_ROOMS: ReadonlyMap<string, readonly string[]> = new Map(
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

/** Returns the room that contains a file: a folder below `src`, or a top-level folder. */
export const roomOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('src/') ? 2 : 1)
    .join('/');

/** Returns the folder of a room that contains a file; undefined for a file directly in the room. */
export const folderOf = (path: string): string | undefined =>
  path
    .slice(roomOf(path).length + 1)
    .split('/')
    .slice(0, -1)[0];
