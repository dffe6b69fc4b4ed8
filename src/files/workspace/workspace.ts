import type { Directory } from './directory.ts';
import type { OpenFile } from './open-file.ts';
import type { ReplaceOptions } from './replace-file.ts';
import type { TargetBefore } from './target-before.ts';
import type { DirectoryEntry } from './walk.ts';
import type { WriteFence } from './write-fence.ts';

/** Works in a directory that is open. `trail` is its real components from `root`, the root of the project. */
export type UseDirectory<T> = (directory: Directory, trail: readonly string[], root: Directory) => Promise<T>;

/**
 * The jail through which everything except commands reaches files (docs/tools.md). Methods reject with WorkspaceError.
 */
export interface Workspace {
  /** Opens a regular file for reading, and closes it when `use` has settled. */
  withFile<T>(projectId: string, path: string, use: (file: OpenFile) => Promise<T>): Promise<T>;
  /** Opens a directory until `use` has settled. */
  withDirectory<T>(projectId: string, path: string, use: UseDirectory<T>): Promise<T>;
  /** Writes a whole file in one step (see `replaceFile`). Missing directories are made. */
  writeFile(
    projectId: string,
    path: string,
    content: Uint8Array,
    options: ReplaceOptions,
  ): Promise<'created' | 'overwritten'>;
  /** Deletes the temps of a write's earlier attempts, which can then not touch the file even if they wake up later. */
  abandonWrites(projectId: string, path: string, fence: WriteFence): Promise<void>;
  /**
   * Walks to where a file is, or will be, and hands over that entry and the key of `resolveTargetKey`, for a write in
   * several steps. The file itself is not opened, and the entry is no link. Rejects with WorkspaceError, or with what
   * `use` rejects with, as it is.
   */
  withEntry<T>(
    projectId: string,
    path: string,
    options: { readonly makesDirectories: boolean },
    use: (entry: DirectoryEntry, key: string) => Promise<T>,
  ): Promise<T>;
  /**
   * Returns one key for all names of a file, over all projects: its real path from the workspace root, whether it
   * exists or not. Rejects for a path that may not be written.
   */
  resolveTargetKey(projectId: string, path: string): Promise<string>;
  /** Reads the file that a write would replace, null if there is none. Rejects for a path that may not be written. */
  readTargetBefore(projectId: string, path: string): Promise<TargetBefore | null>;
  /**
   * Returns the size in bytes of the file that a write would replace, null if there is none. Rejects as
   * `readTargetBefore` does.
   */
  readTargetBytes(projectId: string, path: string): Promise<number | null>;
  /** Reports whether the project has a folder or needs none. Other methods make the folder if it is missing. */
  hasFolder(projectId: string): Promise<boolean>;
  /** Returns the absolute real path of the project's folder, for programs, which walk by path. */
  resolveFolder(projectId: string): Promise<string>;
  /** Closes the root. */
  close(): Promise<void>;
}
