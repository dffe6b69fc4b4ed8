import ignore from 'ignore';
import type { Ignore } from 'ignore';

/** Never worth listing or searching, unless a `.gitignore` takes one back (`!dist/`). */
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

/** The ignore rules that hold in one directory: the defaults and every `.gitignore` from the root down to it. */
export class IgnoreRules {
  readonly #matcher: Ignore;
  /** The same rules as lines of one `.gitignore` in the root, the weakest first. */
  readonly lines: readonly string[];

  private constructor(matcher: Ignore, lines: readonly string[]) {
    this.#matcher = matcher;
    this.lines = lines;
  }

  static defaults(): IgnoreRules {
    return new IgnoreRules(matcher().add(DEFAULT_RULES), DEFAULT_RULES);
  }

  /** Rules below `directory` (path from the root, '' for the root), where a `.gitignore` of this text stands. */
  with(gitignore: string, directory: string): IgnoreRules {
    const anchored = gitignore.split(/\r?\n/).flatMap((line) => anchor(line, directory));
    return new IgnoreRules(matcher().add(this.#matcher).add(anchored), [...this.lines, ...anchored]);
  }

  /** `path` from the root; directories end with `/`. Asked only below directories that are not ignored. */
  ignores(path: string): boolean {
    return this.#matcher.ignores(path);
  }
}

const matcher = (): Ignore => ignore({ ignorecase: false });

/**
 * A line of the `.gitignore` in `directory` as the same rule seen from the root (gitignore(5)): with a slash at
 * its beginning or in its middle it is tied to that directory, otherwise it holds at any depth below.
 */
const anchor = (line: string, directory: string): string[] => {
  if (line.trim() === '' || line.startsWith('#')) return [];
  if (directory === '') return [line];
  const negated = line.startsWith('!');
  const pattern = negated ? line.slice(1) : line;
  const tied = pattern.trimEnd().replace(/\/$/, '').includes('/');
  const below = tied ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return [`${negated ? '!' : ''}/${escapeGlob(directory)}/${below}`];
};

const escapeGlob = (path: string): string => path.replace(/[\\*?[\]!# ]/g, '\\$&');
