import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { DirectoryEntry } from './walk.ts';
import { WorkspaceError } from './workspace-error.ts';

/**
 * Flags for opening a file. Without O_NONBLOCK, opening a FIFO would wait for its other end, and hold a thread of the
 * pool for ever.
 */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A regular file that is open for reading. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** Real names from the root to the file. */
  readonly trail: readonly string[];
}

/**
 * Opens a regular file for reading; the caller closes the handle. Rejects with ELOOP for a link, with WorkspaceError
 * for anything else that is not a regular file, or with the file system's error.
 */
export const openRegularFile = async ({ directory, name, trail }: DirectoryEntry): Promise<OpenFile> => {
  const handle = await open(directory.pathOf(name), READ);
  try {
    const stats = await handle.stat();
    refuseUnlessFile(stats, name);
    return { handle, stats, trail };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/**
 * Throws WorkspaceError unless these are the stats of a regular file. Pass those of the open handle before a file is
 * read or written: what was there before may have been swapped.
 */
export const refuseUnlessFile = (stats: Stats, name: string): void => {
  if (stats.isDirectory()) throw new WorkspaceError('is_a_directory', name, 'is a directory');
  if (!stats.isFile()) throw new WorkspaceError('not_a_file', name, 'not a regular file');
};
