import { isSameContent, type TargetState } from '../workspace/target-file.ts';

/** The effect of one write on a file, whether it was made or only planned. */
export interface ChainedChange {
  /** State of the file before. Null if there was no file. */
  readonly before: TargetState | null;
  readonly after: TargetState;
  /** True when the change has certainly happened. False when the writer may have died before it. */
  readonly isCertain: boolean;
}

/** All changes of one file by one turn, from its first change to its last. */
export interface ChangeChain {
  /** The file's state before the first change. */
  readonly before: TargetState | null;
  /** The states the file may have after the last one, if nobody else has changed it. */
  readonly after: readonly (TargetState | null)[];
}

/**
 * Joins the changes of one file, in order, of which there is at least one. Undefined when they do not follow on each
 * other: somebody else has changed the file between them, and that change must not be lost.
 */
export const chainOf = (changes: readonly ChainedChange[]): ChangeChain | undefined => {
  const before = changes[0]?.before ?? null;
  let possible: readonly (TargetState | null)[] = [before];
  for (const change of changes) {
    if (!possible.some((state) => isSameContent(state, change.before))) return undefined;
    possible = change.isCertain ? [change.after] : [change.after, change.before];
  }
  return { before, after: possible };
};
