import { opendirSync, type Dir } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isLoopbackUrl } from '../../base/hosts/loopback.ts';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { Completion } from './line-editor.ts';
import { completeChatLine } from './chat-line.ts';

/**
 * Maximum number of entries of a folder that are read. A key press must not read a folder of a million files to its
 * end.
 */
const MAX_ENTRIES = 5_000;
/** Names of files that are not offered, because nobody wants to name them or the workspace's tools do not show them. */
const IGNORED_NAMES = new Set(['.git', '.orion', 'node_modules']);

/**
 * Completes the text before the cursor: commands at the beginning, and `@path` with the files of `workspace`.
 * `workspace` is undefined if it is unknown or not on this machine. Paths are then not completed.
 */
export const completeLine = (before: string, workspace: string | undefined): Completion => {
  const [, typed] = /(?:^|\s)@("[^"]*|\S*)$/.exec(before) ?? [];
  if (typed !== undefined && workspace !== undefined) {
    return { replaces: typed, candidates: listQuotedPaths(workspace, typed) };
  }
  return { replaces: before, candidates: completeChatLine(before) };
};

/**
 * Returns the folder in which the tools of a gateway work. Returns undefined if that is not a folder of this machine,
 * or if the gateway does not name it.
 */
export const findLocalWorkspace = async (
  url: string,
  info: InfoResponse | undefined,
): Promise<string | undefined> => {
  const workspace = info?.workspace ?? undefined;
  if (workspace === undefined || !isLoopbackUrl(new URL(url))) return undefined;
  try {
    return (await stat(workspace)).isDirectory() ? resolve(workspace) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Returns the paths that complete `typed`, which may begin with a quote. A path with a blank is quoted. All paths are
 * quoted if a quote was typed, or if one of them has a blank and something was typed.
 */
const listQuotedPaths = (workspace: string, typed: string): readonly string[] => {
  const paths = listPaths(workspace, typed.replace(/^"/, ''));
  const isQuoted = typed !== '' && (typed.startsWith('"') || paths.some((path) => /\s/.test(path)));
  return paths.map((path) =>
    isQuoted || /\s/.test(path) ? `"${path}${path.endsWith('/') ? '' : '"'}` : path,
  );
};

/**
 * Returns paths in the workspace that begin with `path`, folders with a slash at their end, sorted. Hidden entries are
 * left out until their dot is typed. The added `x` makes a name even of an empty last part, which `dirname` and
 * `basename` would skip.
 */
const listPaths = (workspace: string, path: string): readonly string[] => {
  const folder = path.endsWith('/') ? path : dirname(`${path}x`);
  const prefix = folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`;
  const start = path.endsWith('/') ? '' : basename(`${path}x`).slice(0, -1);
  const absolute = resolve(workspace, folder);
  if (absolute !== workspace && !absolute.startsWith(join(workspace, sep))) return [];
  return readEntries(absolute)
    .filter(
      ({ name }) =>
        name.startsWith(start) &&
        !IGNORED_NAMES.has(name) &&
        !/["\n\r]/.test(name) &&
        (start !== '' || !name.startsWith('.')),
    )
    .map(({ name, isFolder }) => `${prefix}${name}${isFolder ? '/' : ''}`)
    .toSorted();
};

/** Returns the entries of a folder, at most `MAX_ENTRIES`. If reading fails, returns the entries read so far. */
const readEntries = (folder: string): { name: string; isFolder: boolean }[] => {
  const entries: { name: string; isFolder: boolean }[] = [];
  let directory: Dir | undefined;
  try {
    directory = opendirSync(folder);
    for (
      let entry = directory.readSync();
      entry && entries.length < MAX_ENTRIES;
      entry = directory.readSync()
    ) {
      entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
  } catch {
    return entries;
  } finally {
    directory?.closeSync();
  }
  return entries;
};
