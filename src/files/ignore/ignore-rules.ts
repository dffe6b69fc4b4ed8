import { ignoreFileOf, type IgnorableEntry, type IgnoreFile } from './ignore-file.ts';
import type { MatchBudget } from './match-path.ts';

/** Entries that are never worth listing or searching, unless a `.gitignore` takes one back (`!dist/`). */
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

/** Comparisons for one entry, about 2 ms. Rules that need more, which nobody writes on purpose, hide nothing of it. */
const MAX_EFFORT = 500_000;
/** Files with rules of one listing; those of further `.gitignore` files are left out. */
const MAX_FILES = 1_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** The limits on the `.gitignore` files of one listing, taken together. */
class Allowance {
  #files = MAX_FILES;
  #bytes = MAX_BYTES;

  /** Counts a file; returns false when the limits do not allow it. */
  spend(bytes: number): boolean {
    this.#files -= 1;
    this.#bytes -= bytes;
    return this.#files >= 0 && this.#bytes >= 0;
  }
}

/**
 * The ignore rules that hold in one directory: its own `.gitignore` over those of the directories above it, over the
 * defaults.
 */
export class IgnoreRules {
  readonly #file: IgnoreFile;
  readonly #text: string;
  /** Names from the root to the directory of the file. */
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

  /** Rules that every listing begins with. */
  static defaults(): IgnoreRules {
    return new IgnoreRules(DEFAULT_RULES.join('\n'), [], undefined, new Allowance());
  }

  /** Counts another `.gitignore` of this size. Returns false when the listing may not read it. */
  admit(bytes: number): boolean {
    return this.#allowance.spend(bytes);
  }

  /** Returns the rules below `directory` (names from the root), which has a `.gitignore` of this text. */
  with(gitignore: string, directory: readonly string[]): IgnoreRules {
    return new IgnoreRules(gitignore, directory, this, this.#allowance);
  }

  /** Tells if an entry is hidden. Call it only below directories that are not. */
  ignores(entry: IgnorableEntry): boolean {
    return this.#hides(entry, { left: MAX_EFFORT });
  }

  #hides(entry: IgnorableEntry, effort: MatchBudget): boolean {
    const isIgnoredHere = this.#file.verdict(entry, this.#directory.length, effort);
    if (isIgnoredHere !== undefined) return isIgnoredHere;
    return this.#above === undefined ? false : this.#above.#hides(entry, effort);
  }

  /** All rules as lines of one `.gitignore` in the root, the weakest first. */
  get lines(): readonly string[] {
    const own = this.#text.split(/\r?\n/).flatMap((line) => anchor(line, this.#directory));
    return [...(this.#above?.lines ?? []), ...own];
  }
}

/**
 * A line of the `.gitignore` in `directory` as the same rule seen from the root (gitignore(5)): with a slash at
 * its beginning or in its middle it is tied to that directory, otherwise it holds at any depth below.
 */
const anchor = (line: string, directory: readonly string[]): string[] => {
  if (line.trim() === '' || line.startsWith('#')) return [];
  if (directory.length === 0) return [line];
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const isAnchored = pattern.trimEnd().replace(/\/$/, '').includes('/');
  const below = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return [`${isNegated ? '!' : ''}/${escapeGlob(directory.join('/'))}/${below}`];
};

const escapeGlob = (path: string): string => path.replace(/[\\*?[\]!# ]/g, '\\$&');
