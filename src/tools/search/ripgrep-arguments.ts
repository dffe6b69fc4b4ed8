import { MIB } from '../../contracts/values/units.ts';

/** Largest file that is searched, in bytes. ripgrep holds a file without line breaks in memory as a whole. */
export const MAX_FILE_BYTES = 100 * MIB;
/** Largest line that is shown whole, in bytes. ripgrep cuts longer ones, with its own mark. */
const MAX_COLUMNS = 300;

/** The first pass of a search, from which a command line of ripgrep is made. */
export interface CandidateSearch {
  readonly regex: string;
  /** Path of the directory that is searched, from the working directory. '' means the working directory itself. */
  readonly directory: string;
  readonly globs: readonly string[];
  /** Path from the working directory of a directory that is not entered. Undefined if there is none. */
  readonly excluded: string | undefined;
  /** Path of a file of ignore rules, anchored at the working directory. Undefined means that nothing is ignored. */
  readonly ignoreFile: string | undefined;
}

/**
 * Returns the arguments that make ripgrep print the paths of the files below a directory that hold a match, each ended
 * by NUL.
 */
export const candidateArguments = ({
  regex,
  directory,
  globs,
  excluded,
  ignoreFile,
}: CandidateSearch): string[] => [
  ...commonArguments(regex),
  '--files-with-matches',
  '--null',
  '--hidden',
  '--no-follow',
  `--max-filesize=${MAX_FILE_BYTES}`,
  ...(ignoreFile === undefined ? ['--no-ignore'] : ignoreRules(ignoreFile)),
  ...globs.map((glob) => `--glob=${glob}`),
  // Comes after the others, so that no glob takes it back.
  '--iglob=!.git',
  ...(excluded === undefined ? [] : [`--glob=!/${escapeGlob(excluded)}`]),
  '--',
  directory === '' ? './' : `./${directory}`,
];

/** Returns a path as a glob that matches nothing else. */
export const escapeGlob = (path: string): string => path.replace(/[\\*?[\]{}!]/g, '\\$&');

/**
 * Returns the options by which only `.gitignore` files below the directory and, where they say nothing, the given rules
 * count. The files count whether or not git knows of the directory.
 */
const ignoreRules = (ignoreFile: string): string[] => [
  '--no-require-git',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-ignore-exclude',
  '--no-ignore-dot',
  `--ignore-file=${ignoreFile}`,
];

/**
 * Returns the arguments that make ripgrep print the matching lines of the given files, in their order: `<file>` NUL
 * `<number>:<text>`.
 */
export const lineArguments = (regex: string, files: readonly string[]): string[] => [
  ...commonArguments(regex),
  '--line-number',
  '--with-filename',
  '--null',
  '--no-heading',
  `--max-columns=${MAX_COLUMNS}`,
  '--max-columns-preview',
  // A mapped file that is truncated while it is searched would kill the process.
  '--no-mmap',
  '--threads=1',
  '--',
  ...files,
];

/** Returns ripgrep's complaint about a pattern, without advice to use options that are not offered here. */
export const patternMessage = (message: string): string =>
  message
    .replace(/\n\n?Consider enabling[\s\S]*$/, '')
    .replace(/^rg: /, '')
    .trim();

/**
 * Returns the arguments that both passes share. Only ripgrep's own engine is used, because its time is linear in the
 * text, whatever the pattern. The size limits bound the cost of compiling a pattern.
 */
const commonArguments = (regex: string): string[] => [
  '--no-config',
  '--no-messages',
  '--engine=default',
  '--color=never',
  '--crlf',
  '--regex-size-limit=10M',
  '--dfa-size-limit=32M',
  `--regexp=${regex}`,
];
