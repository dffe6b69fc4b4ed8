import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NUL } from '../../base/text/ascii.ts';
import type { Directory } from '../../files/workspace/directory.ts';
import type { IgnoreRules } from '../../files/ignore/ignore-rules.ts';
import { candidateArguments, escapeGlob } from './ripgrep-arguments.ts';
import { inheritedPath, type RipgrepEnd, runRipgrep } from './ripgrep.ts';

/** Largest number of files that one search finds. If there are more, the file system decides which come first. */
const MAX_CANDIDATES = 50_000;

/** A search: the pattern, and the path of the ripgrep to use. */
export interface FileSearch {
  readonly program: string;
  readonly regex: string;
  readonly filePattern: string | undefined;
  readonly signal: AbortSignal;
}

/** Files that ripgrep found a match in. */
export interface SearchCandidates {
  /** Paths from the root, sorted. */
  readonly paths: readonly string[];
  readonly end: RipgrepEnd;
}

/**
 * Asks ripgrep, in the first pass of a search, which files below a directory hold a match. Returns those that
 * `isWanted` admits, at most `MAX_CANDIDATES`. ripgrep opens by path what it has listed before, so a link that is
 * swapped in meanwhile can lead it out of the folder. Its output is therefore only a hint, and nothing that it read is
 * used.
 */
export const findCandidates = async (
  search: FileSearch,
  place: {
    readonly root: Directory;
    readonly trail: readonly string[];
    readonly rules: IgnoreRules | undefined;
  },
  isWanted: (path: string) => boolean,
): Promise<SearchCandidates> => {
  const paths: string[] = [];
  const take = (record: string): boolean => {
    const path = record.replace(/^\.\//, '');
    if (isWanted(path)) paths.push(path);
    return paths.length < MAX_CANDIDATES;
  };
  const { program, regex, signal } = search;
  const directory = place.trail.join('/');
  const globs = globsFor(search.filePattern, directory);
  const { root, rules } = place;
  const excluded = await root.findExcludedPath();
  const run = (ignoreFile: string | undefined, inherit: readonly number[]) =>
    runRipgrep({
      program,
      args: candidateArguments({ regex, directory, globs, excluded, ignoreFile }),
      cwd: root.naming === 'handle' ? inheritedPath(0) : root.base,
      inherit: [root.fd, ...inherit],
      separator: NUL,
      take,
      signal,
    });
  const end =
    rules === undefined
      ? await run(undefined, [])
      : await withRulesFile(rules.lines, ({ fd }) => run(inheritedPath(1), [fd]));
  return { paths: paths.sort(), end };
};

/**
 * Runs `use` with the lines as a file without a name, for a child process. The file loses its name before it is filled,
 * so it is reached only by its handle and disappears with it.
 */
const withRulesFile = async <T>(
  lines: readonly string[],
  use: (file: FileHandle) => Promise<T>,
): Promise<T> => {
  const path = join(tmpdir(), `orion-rules-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    await file.write(`${lines.join('\n')}\n`, 0);
    return await use(file);
  } finally {
    await file.close();
  }
};

/**
 * Returns the globs of a file pattern. A pattern with a slash may be meant from the root or from the directory
 * searched, so it becomes two globs.
 */
const globsFor = (pattern: string | undefined, directory: string): string[] => {
  if (pattern === undefined) return [];
  const [, not = '', path = ''] = /^(!?)(.*)$/s.exec(pattern) ?? [];
  if (directory === '' || !path.replace(/\/$/, '').includes('/')) return [pattern];
  return [pattern, `${not}/${escapeGlob(directory)}/${path.replace(/^\//, '')}`];
};
