import { literalOf, parsePattern, literalSuffixOf, type PathSegment } from './ignore-pattern.ts';
import { matchesPath, type MatchBudget } from './match-path.ts';
import { MIB } from '../../contracts/values/units.ts';

/** Largest number of rules that are read from one file. Further ones are left out: nobody writes as many by hand. */
const MAX_RULES = 20_000;
/** Largest length of a pattern in characters. A longer one is left out: no path is longer. */
const MAX_PATTERN_LENGTH = 4_096;
/** Largest number of characters, over all texts, whose parsed rules are kept for the next listing. */
const MAX_KEPT_LENGTH = MIB;

/** An entry of a directory, to which rules are applied. */
export interface IgnorableEntry {
  /** Names from the root to the entry. */
  readonly names: readonly string[];
  readonly isDirectory: boolean;
}

/** The rule that one line of a `.gitignore` makes. */
interface IgnoreRule {
  readonly isNegated: boolean;
  /** True when the pattern ends with a slash: it does not match files. */
  readonly matchesDirectoriesOnly: boolean;
  /**
   * True when a slash ties the pattern to the directory of its `.gitignore`. Otherwise the pattern matches names at any
   * depth.
   */
  readonly isAnchored: boolean;
  readonly segments: readonly PathSegment[];
}

/**
 * Numbers of the last rules for one text: the last that matches any entry, and the last that matches only directories.
 * -1 means that there is none.
 */
interface Last {
  any: number;
  directories: number;
}

/** Rules by the text that they match, so that one look-up finds them, however many there are. */
class RulesByText {
  readonly #last = new Map<string, Last>();

  add(text: string, index: number, { matchesDirectoriesOnly }: IgnoreRule): void {
    const last = this.#last.get(text) ?? { any: -1, directories: -1 };
    if (matchesDirectoriesOnly) last.directories = index;
    else last.any = index;
    this.#last.set(text, last);
  }

  get isEmpty(): boolean {
    return this.#last.size === 0;
  }

  /** Returns the number of the last rule that matches an entry with this text, or -1. */
  find(text: string, isDirectory: boolean): number {
    const last = this.#last.get(text);
    if (last === undefined) return -1;
    return isDirectory ? Math.max(last.any, last.directories) : last.any;
  }
}

/**
 * The rules of one `.gitignore` (gitignore(5)). Nearly all are names, `*.ending` or paths and cost one look-up. The
 * others are tried one by one, beginning with the last.
 */
export class IgnoreFile {
  readonly #negated: boolean[] = [];
  readonly #names = new RulesByText();
  readonly #paths = new RulesByText();
  /** Rules such as `*.log`, by the text after the star. */
  readonly #tails = new RulesByText();
  readonly #tailLengths = new Set<number>();
  /** Rules that need a matcher, the last one first. */
  readonly #globs: readonly { readonly index: number; readonly rule: IgnoreRule }[];

  constructor(text: string) {
    const globs: { readonly index: number; readonly rule: IgnoreRule }[] = [];
    for (const line of ignoreLines(text)) {
      if (this.#negated.length >= MAX_RULES) break;
      const rule = parseRule(line);
      if (rule === undefined) continue;
      const index = this.#negated.push(rule.isNegated) - 1;
      if (!this.#addText(rule, index)) globs.push({ index, rule });
    }
    this.#globs = globs.toReversed();
  }

  /**
   * Returns whether the last rule that matches hides the entry, or undefined when no rule matches. `depth` is the
   * number of names in the path of the directory that has this `.gitignore`. Each pattern that is tried reduces
   * `budget`; at 0, no more are tried.
   */
  verdict({ names, isDirectory }: IgnorableEntry, depth: number, budget: MatchBudget): boolean | undefined {
    const name = names.at(-1) ?? '';
    let last = this.#names.find(name, isDirectory);
    if (!this.#paths.isEmpty) {
      last = Math.max(last, this.#paths.find(names.slice(depth).join('/'), isDirectory));
    }
    for (const length of this.#tailLengths) {
      if (length <= name.length) last = Math.max(last, this.#tails.find(name.slice(-length), isDirectory));
    }
    for (const { index, rule } of this.#globs) {
      if (index < last || budget.left <= 0) break;
      if (rule.matchesDirectoriesOnly && !isDirectory) continue;
      if (matchesPath(rule.segments, names, rule.isAnchored ? depth : names.length - 1, budget)) last = index;
    }
    return last < 0 ? undefined : this.#negated[last] === false;
  }

  /** Adds a rule under the text that it matches. Returns false for a rule that needs a matcher. */
  #addText(rule: IgnoreRule, index: number): boolean {
    const { isAnchored, segments } = rule;
    const texts = segments.map(literalOf);
    const [first = '**'] = segments;
    const tail = isAnchored ? undefined : literalSuffixOf(first);
    if (texts.every((text) => text !== undefined)) {
      (isAnchored ? this.#paths : this.#names).add(texts.join('/'), index, rule);
      return true;
    }
    if (tail === undefined) return false;
    this.#tails.add(tail, index, rule);
    this.#tailLengths.add(tail.length);
    return true;
  }
}

/**
 * Yields the lines of a `.gitignore`. As git does, it drops one CR before a line break, and a byte order mark at the
 * beginning.
 */
const ignoreLines = function* (text: string): Generator<string> {
  for (let start = text.startsWith('\ufeff') ? 1 : 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, found > start && text[end - 1] === '\r' ? end - 1 : end);
    start = end + 1;
  }
};

const parseRule = (line: string): IgnoreRule | undefined => {
  if (line.startsWith('#') || line.length > MAX_PATTERN_LENGTH) return undefined;
  const trimmed = withoutTrailingSpaces(line);
  const isNegated = trimmed.startsWith('!');
  const text = isNegated ? trimmed.slice(1) : trimmed;
  const matchesDirectoriesOnly = text.endsWith('/');
  const pattern = matchesDirectoriesOnly ? text.slice(0, -1) : text;
  const isAnchored = pattern.includes('/');
  const segments = parsePattern(isAnchored && pattern.startsWith('/') ? pattern.slice(1) : pattern);
  if (pattern === '' || segments === undefined) return undefined;
  return {
    isNegated,
    matchesDirectoriesOnly,
    isAnchored,
    // A pattern without a slash is one name. `**` is then read as two segments, of which the last, `*`, means the same.
    segments: isAnchored ? segments : segments.slice(-1),
  };
};

/** Removes the spaces at the end of a line, except one that a backslash escapes. */
const withoutTrailingSpaces = (line: string): string => {
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '\\') index += 1;
    else if (line[index] === ' ') continue;
    end = index + 1;
  }
  return line.slice(0, end);
};

const kept = new Map<string, IgnoreFile>();
let keptLength = 0;

/**
 * Returns the rules of a text. The rules that were used last are kept, because every turn lists the same directories.
 */
export const ignoreFileOf = (text: string): IgnoreFile => {
  const file = kept.get(text) ?? new IgnoreFile(text);
  // Moved to the end of the map, which begins with the text that was not used for the longest time.
  if (kept.delete(text)) keptLength -= text.length;
  kept.set(text, file);
  keptLength += text.length;
  for (const [oldest] of kept) {
    if (keptLength <= MAX_KEPT_LENGTH) break;
    kept.delete(oldest);
    keptLength -= oldest.length;
  }
  return file;
};
