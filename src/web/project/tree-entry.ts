/* The changes of a turn, seen from the folders of the workspace. All functions here are pure. */

/** An entry of a folder. `changes` are the changed files that it is or contains. */
export interface TreeEntry {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly changes: number;
}

/** Returns entries as the gateway lists them, folders first. `changed` are paths of files. */
export const treeEntries = (listed: readonly string[], changed: readonly string[]): readonly TreeEntry[] => {
  const entries = listed.map((path): TreeEntry => {
    const isFolder = path.endsWith('/');
    const whole = isFolder ? path.slice(0, -1) : path;
    const name = whole.slice(whole.lastIndexOf('/') + 1);
    const changes = changed.filter((each) => (isFolder ? each.startsWith(path) : each === path)).length;
    return { path: whole, name, isFolder, changes };
  });
  return [...entries.filter(({ isFolder }) => isFolder), ...entries.filter(({ isFolder }) => !isFolder)];
};

/**
 * Returns changed files below a folder that no entry of its list is or leads to. They are gone again, hidden, or beyond
 * the listed ones. `folder` is its path, `.` for the root.
 */
export const unlisted = (
  folder: string,
  listed: readonly string[],
  changed: readonly string[],
): readonly string[] => {
  const isListed = (path: string): boolean =>
    listed.some((entry) => (entry.endsWith('/') ? path.startsWith(entry) : path === entry));
  return changed.filter((path) => (folder === '.' || path.startsWith(`${folder}/`)) && !isListed(path));
};
