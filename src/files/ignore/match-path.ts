import { ANY, type Part, type PathSegment, STAR } from './ignore-pattern.ts';

/** The cost that matching may still have; each comparison takes one, and at 0 nothing matches any more. */
export interface MatchBudget {
  left: number;
}

/**
 * Whether segments match a path from its name at `from` on. Linear in the product of both lengths: a star of either
 * kind is given up for good once a later one has been reached, so nothing is tried twice.
 */
export const matchesPath = (
  segments: readonly PathSegment[],
  names: readonly string[],
  from: number,
  effort: MatchBudget,
): boolean => {
  let segment = 0;
  let name = from;
  let star = -1;
  let mark = from;
  while (name < names.length) {
    const wanted = segments[segment];
    if (wanted === '**') {
      star = segment;
      segment += 1;
      mark = name;
    } else if (wanted !== undefined && matchesName(wanted, names[name] ?? '', effort)) {
      segment += 1;
      name += 1;
    } else if (star >= 0) {
      segment = star + 1;
      mark += 1;
      name = mark;
    } else return false;
  }
  while (segments[segment] === '**') segment += 1;
  return segment === segments.length;
};

/** Whether a pattern without a slash matches one name, character by character. */
export const matchesName = (parts: readonly Part[], name: string, effort: MatchBudget): boolean => {
  let part = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  while (at < name.length) {
    effort.left -= 1;
    if (effort.left < 0) return false;
    const wanted = parts[part];
    if (wanted === STAR) {
      star = part;
      part += 1;
      mark = at;
    } else if (wanted !== undefined && matchesUnit(wanted, name, at, effort)) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      part = star + 1;
      mark += 1;
      at = mark;
    } else return false;
  }
  while (parts[part] === STAR) part += 1;
  return part === parts.length;
};

const matchesUnit = (
  part: Exclude<Part, typeof STAR>,
  name: string,
  at: number,
  effort: MatchBudget,
): boolean => {
  if (typeof part === 'string') return part === name[at];
  if (part === ANY) return true;
  effort.left -= part.ranges.length;
  const unit = name.charCodeAt(at);
  return part.ranges.some(([first, last]) => first <= unit && unit <= last) !== part.negated;
};
