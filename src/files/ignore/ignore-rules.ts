import { ignoreFileOf, type IgnorableEntry, type IgnoreFile } from './ignore-file.ts';
import type { MatchBudget } from './match-path.ts';
import { MIB } from '../../contracts/values/units.ts';

/** Entries that listings and searches leave out, unless a `.gitignore` takes one back (`!dist/`). */
const DEFAULT_RULES = [
  '.git/',
  '.hg/',
  '.svn/',
  '.orion/',
  'node_modules/',
  'dist/',
  'build/',
  'coverage/',
  '.next/',
  '.cache/',
  '.venv/',
  '__pycache__/',
  '.DS_Store',
];

/**
 * Largest number of comparisons for one entry, which take about 2 ms. Beyond it, patterns that need more than a look-up
 * no longer match, so an entry may be shown that should be hidden, or the reverse. Nobody writes rules that need more
 * on purpose.
 */
const MAX_EFFORT = 500_000;
/** Largest number of `.gitignore` files that one listing reads; further ones are left out. */
const MAX_FILES = 1_000;
/** Largest number of bytes that the `.gitignore` files of one listing may have together. */
const MAX_BYTES = 2 * MIB;

/**
 * The ignore rules that hold in one directory. Those of its own `.gitignore` take precedence over those of the
 * directories above it, and all of them over the defaults.
 */
export class IgnoreRules {
  readonly #file: IgnoreFile;
  readonly #text: string;
  /** Names from the root to the directory that has the `.gitignore`. */
  readonly #directory: readonly string[];
  readonly #above: IgnoreRules | undefined;
  readonly #allowance: Allowance;

  private constructor(
    text: string,
    directory: readonly string[],
    above: IgnoreRules | undefined,
    allowance: Allowance,
  ) {
    this.#file = ignoreFileOf(text);
    this.#text = text;
    this.#directory = directory;
    this.#above = above;
    this.#allowance = allowance;
  }

  /** Returns the rules that every listing begins with, and a new allowance for its `.gitignore` files. */
  static defaults(): IgnoreRules {
    return new IgnoreRules(DEFAULT_RULES.join('\n'), [], undefined, new Allowance());
  }

  /** Counts another `.gitignore` of this size, in bytes. Returns false when the listing may not read it. */
  admit(bytes: number): boolean {
    return this.#allowance.spend(bytes);
  }

  /** Returns the rules below `directory` (names from the root), which has a `.gitignore` of this text. */
  with(gitignore: string, directory: readonly string[]): IgnoreRules {
    return new IgnoreRules(gitignore, directory, this, this.#allowance);
  }

  /**
   * Reports whether the rules hide an entry. They do not look at the directories above the entry, so call this only for
   * entries of directories that are not hidden.
   */
  ignores(entry: IgnorableEntry): boolean {
    return this.#hides(entry, { left: MAX_EFFORT });
  }

  #hides(entry: IgnorableEntry, budget: MatchBudget): boolean {
    const isIgnoredHere = this.#file.verdict(entry, this.#directory.length, budget);
    if (isIgnoredHere !== undefined) return isIgnoredHere;
    return this.#above === undefined ? false : this.#above.#hides(entry, budget);
  }

  /** All rules as lines of one `.gitignore` in the root. Later lines take precedence, as in git. */
  get lines(): readonly string[] {
    const own = this.#text.split(/\r?\n/).flatMap((line) => anchor(line, this.#directory));
    return [...(this.#above?.lines ?? []), ...own];
  }
}

/** The limits on the `.gitignore` files of one listing, taken together. */
class Allowance {
  #files = MAX_FILES;
  #bytes = MAX_BYTES;

  /** Counts a file. Returns false when it exceeds a limit, and for every file after that. */
  spend(bytes: number): boolean {
    this.#files -= 1;
    this.#bytes -= bytes;
    return this.#files >= 0 && this.#bytes >= 0;
  }
}

/**
 * Returns a line of the `.gitignore` in `directory` as the same rule seen from the root (gitignore(5)), or nothing for
 * a blank line or comment. A pattern with a slash at its beginning or in its middle is tied to that directory. Any
 * other pattern holds at any depth below it.
 */
const anchor = (line: string, directory: readonly string[]): string[] => {
  if (line.trim() === '' || line.startsWith('#')) return [];
  if (directory.length === 0) return [line];
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const isAnchored = pattern.trimEnd().replace(/\/$/, '').includes('/');
  const below = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return [`${isNegated ? '!' : ''}/${escapeIgnorePattern(directory.join('/'))}/${below}`];
};

const escapeIgnorePattern = (path: string): string => path.replace(/[\\*?[\]!# ]/g, '\\$&');
