import type { DirectoryTree } from '../files/workspace/tree.ts';
import { shownName } from './outside-text.ts';

/** Number of levels of folders in an outline (docs/context.md "Surroundings"). */
export const OUTLINE_DEPTH = 2;
/** Largest number of lines of an outline. */
export const MAX_OUTLINE_LINES = 50;
/** The last line of an outline that does not have all entries. */
const CUT_LINE = '… cut, there is more';

/**
 * Returns the outline of a workspace: a line for each entry, sorted. Of a tree that was truncated it has one entry less
 * than `MAX_OUTLINE_LINES` and a line that says so. It then has all entries up to the last one in the order of listing.
 */
export const outlineOf = ({ paths, isTruncated }: DirectoryTree): readonly string[] => {
  if (!isTruncated) return paths.map(shownName);
  const kept = paths.toSorted(byListing).slice(0, MAX_OUTLINE_LINES - 1);
  return [...kept.toSorted().map(shownName), CUT_LINE];
};

/**
 * Returns a line for each entry that was added to a workspace (`+ <path>`) or removed from it (`- <path>`) between two
 * outlines. Of an outline that was cut, an absent entry says something only if it would have been listed. Otherwise
 * each new file would push another one out, which the model would take for deleted.
 */
export const outlineChanges = (before: readonly string[], after: readonly string[]): readonly string[] => {
  const [wasListed, isListed] = [listingOf(before), listingOf(after)];
  return [
    ...wasListed.missing(isListed.paths).map((path) => `+ ${path}`),
    ...isListed.missing(wasListed.paths).map((path) => `- ${path}`),
  ];
};

/** Returns the paths of an outline, and a function that returns which of other paths the workspace did not have. */
const listingOf = (outline: readonly string[]) => {
  const isCut = outline.at(-1) === CUT_LINE;
  const paths = isCut ? outline.slice(0, -1) : outline;
  const listed = new Set(paths);
  // A name that is not shown as it is may be listed at another place than it sorts at, so nothing is concluded from it.
  const last = paths.filter(isShownWhole).toSorted(byListing).at(-1);
  const wouldBeListed = (path: string) =>
    !isCut || (last !== undefined && isShownWhole(path) && byListing(path, last) < 0);
  return {
    paths,
    missing: (others: readonly string[]) => others.filter((path) => !listed.has(path) && wouldBeListed(path)),
  };
};

const isShownWhole = (path: string): boolean => !/[\ufffd…]/.test(path);

/** Compares paths in the order in which `listTree` lists: level by level, and each level folder by folder. */
const byListing = (one: string, other: string): number => {
  const [names, otherNames] = [namesOf(one), namesOf(other)];
  if (names.length !== otherNames.length) return names.length - otherNames.length;
  const index = names.findIndex((name, i) => name !== otherNames[i]);
  return index < 0 ? 0 : (names[index] ?? '') < (otherNames[index] ?? '') ? -1 : 1;
};

/** Returns the names of a path. That of a folder ends with a slash. */
const namesOf = (path: string): readonly string[] => path.replace(/\/$/, '').split('/');
