/** Characters of a set such as `[a-z_]`, as ranges of UTF-16 units. */
interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

/** The wildcard `*`: any number of characters of one name. */
export const STAR = Symbol('*');
/** The wildcard `?`: any one character of a name. */
export const ANY_CHARACTER = Symbol('?');

/**
 * A part of a pattern. A text matches itself, a set one of its characters, `ANY_CHARACTER` any one character, and
 * `STAR` any number of characters of one name.
 */
export type PatternPart = string | CharacterSet | typeof STAR | typeof ANY_CHARACTER;

/** A pattern for one name of a path. `**` matches any number of names. */
export type PathSegment = readonly PatternPart[] | '**';

/**
 * Parses a pattern of gitignore(5) into segments, one for each name of a path. Returns undefined for a pattern that
 * matches nothing, such as one with an open bracket or a backslash at its end. It reads patterns as git's own matcher
 * does (wildmatch.c with WM_PATHNAME), but by UTF-16 unit instead of byte.
 */
export const parsePattern = (pattern: string): readonly PathSegment[] | undefined =>
  new PatternReader(pattern).read();

/** Returns the only text that a segment matches, or undefined when the segment holds wildcards. */
export const literalOf = (segment: PathSegment): string | undefined =>
  segment !== '**' && segment.every((part) => typeof part === 'string') ? segment.join('') : undefined;

/** Returns the text after the star of a segment such as `*.log`, or undefined for any other segment. */
export const literalSuffixOf = (segment: PathSegment): string | undefined =>
  segment[0] === STAR && segment.length > 1
    ? literalOf(segment.slice(1) as readonly PatternPart[])
    : undefined;

/**
 * The character classes of POSIX, limited to ASCII as in git. Each pair of characters is the first and the last of a
 * range.
 */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  blank: '\t\t  ',
  cntrl: '\u0000\u001f\u007f\u007f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '\t\r  ',
  upper: 'AZ',
  xdigit: '09AFaf',
};

type Range = readonly [number, number];

/** Thrown for a pattern that can match nothing, and caught in this file. */
class MatchesNothingError extends Error {}

class PatternReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly PathSegment[] | undefined {
    try {
      const segments: PathSegment[] = [this.#readSegment()];
      while (this.#skipIf('/')) segments.push(this.#readSegment());
      // `a/**` matches what lies in `a`, not `a` itself.
      return segments.at(-1) === '**' ? [...segments, [STAR]] : segments;
    } catch (error) {
      if (!(error instanceof MatchesNothingError)) throw error;
      return undefined;
    }
  }

  /** Reads a segment, up to the next slash or the end. */
  #readSegment(): PathSegment {
    const parts: PatternPart[] = [];
    while (!this.#isAtEndOfName()) {
      if (this.#peek() === '*') {
        const isDouble = this.#skipStars() > 1;
        if (isDouble && parts.length === 0 && this.#isAtEndOfName()) return '**';
        if (parts.at(-1) !== STAR) parts.push(STAR);
      } else {
        parts.push(this.#readPart(this.#next()));
      }
    }
    return parts;
  }

  #readPart(character: string): PatternPart {
    switch (character) {
      case '?':
        return ANY_CHARACTER;
      case '[':
        return this.#readSet();
      case '\\':
        return this.#next();
      default:
        return character;
    }
  }

  #readSet(): CharacterSet {
    const isNegated = this.#skipIf('!') || this.#skipIf('^');
    const ranges: Range[] = [];
    // A closing bracket that comes first does not close the set.
    do ranges.push(...this.#readMember());
    while (!this.#skipIf(']'));
    return { isNegated, ranges };
  }

  #readMember(): readonly Range[] {
    const first = this.#next();
    if (first === '[' && this.#skipIf(':')) return this.#readClass();
    const from = first === '\\' ? this.#next() : first;
    const [dash, last] = [this.#peek(), this.#text[this.#at + 1]];
    if (dash !== '-' || last === undefined || last === ']') return [unitRange(from)];
    this.#at += 1;
    const to = this.#next();
    // The first character counts even if the range is the wrong way round.
    return [unitRange(from), unitRange(from, to === '\\' ? this.#next() : to)];
  }

  /**
   * Reads the rest of a class such as `[:alpha:]` after its `[:`. Without `:]` at the end, the `[` stands for itself,
   * and reading goes on at the colon.
   */
  #readClass(): readonly Range[] {
    const start = this.#at;
    const end = this.#text.indexOf(']', start);
    if (end < 0) throw new MatchesNothingError();
    if (end === start || this.#text[end - 1] !== ':') {
      this.#at = start - 1;
      return [unitRange('[')];
    }
    const ranges = classRanges(this.#text.slice(start, end - 1));
    if (ranges === undefined) throw new MatchesNothingError();
    this.#at = end + 1;
    return ranges;
  }

  /** Skips the backslash of an escaped slash. Returns whether a slash or the end of the pattern comes next. */
  #isAtEndOfName(): boolean {
    if (this.#peek() === '\\' && this.#text[this.#at + 1] === '/') this.#at += 1;
    return this.#peek() === undefined || this.#peek() === '/';
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #next(): string {
    const next = this.#text[this.#at];
    if (next === undefined) throw new MatchesNothingError();
    this.#at += 1;
    return next;
  }

  /** Skips the character if it comes next; returns whether it did. */
  #skipIf(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Skips the stars that come next, and returns their number. */
  #skipStars(): number {
    const start = this.#at;
    while (this.#skipIf('*'));
    return this.#at - start;
  }
}

const classRanges = (name: string): readonly Range[] | undefined => {
  const ends = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return ends?.match(/[^]{2}/g)?.map((pair) => unitRange(pair[0] ?? '', pair[1]));
};

const unitRange = (first: string, last = first): Range => [first.charCodeAt(0), last.charCodeAt(0)];
