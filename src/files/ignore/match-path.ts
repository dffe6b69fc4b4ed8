import { ANY_CHARACTER, type PatternPart, type PathSegment, STAR } from './ignore-pattern.ts';

/** The number of comparisons that are left for matching. At 0 nothing matches any longer. */
export interface MatchBudget {
  left: number;
}

/** One part of a pattern for one name, other than a star. */
type Unit = Exclude<PatternPart, typeof STAR>;

/**
 * Reports whether the segments match the names of a path from the index `from` to its end. Each comparison takes at
 * least 1 from `budget`.
 */
export const matchesPath = (
  segments: readonly PathSegment[],
  names: readonly string[],
  from: number,
  budget: MatchBudget,
): boolean =>
  matchesAll<readonly PatternPart[], '**'>({
    pattern: segments,
    isStar: (segment) => segment === '**',
    matches: (parts, index) => matchesName(parts, names[index] ?? '', budget),
    from,
    end: names.length,
    budget,
  });

/** Reports whether a pattern without a slash matches one name, by UTF-16 unit. */
const matchesName = (parts: readonly PatternPart[], name: string, budget: MatchBudget): boolean =>
  matchesAll<Unit, typeof STAR>({
    pattern: parts,
    isStar: (part) => part === STAR,
    matches: (part, index) => matchesUnit(part, name, index, budget),
    from: 0,
    end: name.length,
    budget,
  });

/**
 * A pattern and the items that it has to match: the names of a path, or the UTF-16 units of a name. `from` is the index
 * of the first item, and `end` the index after the last.
 */
interface Matching<One, Star> {
  readonly pattern: readonly (One | Star)[];
  readonly isStar: (part: One | Star | undefined) => part is Star;
  readonly matches: (part: One, index: number) => boolean;
  readonly from: number;
  readonly end: number;
  readonly budget: MatchBudget;
}

/**
 * Reports whether a pattern, in which a star matches any number of items, matches all of them. It takes time
 * proportional to the product of both lengths, at most: once a later star has been reached, it never returns to an
 * earlier one.
 */
const matchesAll = <One, Star>({
  pattern,
  isStar,
  matches,
  from,
  end,
  budget,
}: Matching<One, Star>): boolean => {
  let part = 0;
  let index = from;
  /**
   * Index in the pattern after the last star. When an item does not match, that star takes one more and matching
   * continues from here.
   */
  let afterStar: number | undefined;
  /** Index of the first item that the last star does not take. */
  let starEnd = from;
  while (index < end) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    const expected = pattern[part];
    if (isStar(expected)) {
      part += 1;
      afterStar = part;
      starEnd = index;
    } else if (expected !== undefined && matches(expected, index)) {
      part += 1;
      index += 1;
    } else if (afterStar === undefined) {
      return false;
    } else {
      part = afterStar;
      starEnd += 1;
      index = starEnd;
    }
  }
  while (isStar(pattern[part])) part += 1;
  return part === pattern.length;
};

const matchesUnit = (part: Unit, name: string, index: number, budget: MatchBudget): boolean => {
  if (typeof part === 'string') return part === name[index];
  if (part === ANY_CHARACTER) return true;
  budget.left -= part.ranges.length;
  const unit = name.charCodeAt(index);
  return part.ranges.some(([first, last]) => first <= unit && unit <= last) !== part.isNegated;
};
