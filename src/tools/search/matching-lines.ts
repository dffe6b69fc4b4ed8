import { LF } from '../../base/text/ascii.ts';
import type { OpenFile } from '../../files/workspace/open-file.ts';
import { lineArguments } from './ripgrep-arguments.ts';
import { inheritedPath, type RipgrepEnd, runRipgrep } from './ripgrep.ts';
import type { FileSearch } from './candidates.ts';

/** One line of a file that matches a search. */
export interface MatchingLine {
  /** Path from the root. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Reads, in the second pass of a search, the matching lines of files that the jail has opened, in the order of the
 * files. Hands them to `take` until that returns false. ripgrep gets the open handles and no paths, so it reads these
 * files and no others.
 */
export const readMatchingLines = (
  { program, regex, signal }: FileSearch,
  files: readonly OpenFile[],
  take: (match: MatchingLine) => boolean,
): Promise<RipgrepEnd> => {
  const paths = new Map(files.map(({ trail }, index) => [inheritedPath(index), trail.join('/')]));
  return runRipgrep({
    program,
    args: lineArguments(regex, [...paths.keys()]),
    cwd: '/',
    inherit: files.map(({ handle }) => handle.fd),
    separator: LF,
    take: (record) => {
      const match = parseRecord(record, paths);
      return match === undefined || take(match);
    },
    signal,
  });
};

/**
 * Reads a record of ripgrep. Returns undefined for a record that is no matching line, such as the remark that a file is
 * binary.
 */
const parseRecord = (record: string, paths: ReadonlyMap<string, string>): MatchingLine | undefined => {
  const [, file = '', line = '', text = ''] = /^([^\0]*)\0(\d+):(.*)$/s.exec(record) ?? [];
  const path = paths.get(file);
  return path === undefined ? undefined : { path, line: Number(line), text: text.replace(/\r$/, '') };
};
