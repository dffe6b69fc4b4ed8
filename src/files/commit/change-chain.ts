import { isSameContent, type TargetState } from '../workspace/target-file.ts';

/** The effect of one write on a file, whether it was made or only planned. */
export interface ChainedChange {
  /** State of the file before. Null if there was no file. */
  readonly before: TargetState | null;
  readonly after: TargetState;
  /** True when the change has certainly happened. False when the writer may have died before it. */
  readonly isCertain: boolean;
}

/** Changes of one file by one turn, joined from the first to the last. */
export interface ChangeChain {
  /** The file's state before the first change. */
  readonly before: TargetState | null;
  /** The states the file may have after the last change, if nobody else has changed it. */
  readonly after: readonly (TargetState | null)[];
}

/**
 * Joins the changes of one file, which has at least one, in the order in which they were made. Returns undefined when a
 * change does not begin with a state in which the previous change may have left the file. Somebody else has then
 * changed the file in between, and their change must not be lost.
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
