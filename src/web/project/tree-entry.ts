/* The entries of folders, with the changes that a turn has made to them. All functions here are pure. */

/**
 * An entry of a folder. `path` has no `/` at its end. `changes` is the number of changed files that the entry is or
 * contains.
 */
export interface TreeEntry {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly changes: number;
}

/**
 * Returns the entries of a folder, folders first. `listed` are paths as the gateway lists them, folders with a `/` at
 * the end. `changed` are paths of files.
 */
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
 * Returns the changed files below a folder for which its list has no entry, neither the file nor a folder around it.
 * They have been removed again, are hidden, or are beyond the end of the list. `folder` is the path of the folder, `.`
 * for the root.
 */
export const unlistedFiles = (
  folder: string,
  listed: readonly string[],
  changed: readonly string[],
): readonly string[] => {
  const isListed = (path: string): boolean =>
    listed.some((entry) => (entry.endsWith('/') ? path.startsWith(entry) : path === entry));
  return changed.filter((path) => (folder === '.' || path.startsWith(`${folder}/`)) && !isListed(path));
};
