import { watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProtectedFiles } from './protected-paths.ts';

/** Largest number of folders that are watched for one command. Each takes one of the account's watches (inotify(7)). */
const MAX_FOLDERS = 500;

/**
 * Calls `onReplaced` whenever a closed file is replaced, as editors do when they save, or removed. Its mount then
 * disappears, and a new file of that name can be read. A folder that cannot be watched is left out, and so is any
 * beyond `MAX_FOLDERS`.
 */
export const watchReplaced = (
  folder: string,
  { unreadable }: Pick<ProtectedFiles, 'unreadable'>,
  onReplaced: () => void,
): { stop(): void } => {
  const folders = [...namesByFolder(unreadable)].slice(0, MAX_FOLDERS);
  const watchers = folders.flatMap(([path, names]) => {
    try {
      const watcher = watch(join(folder, path), (event, name) => {
        if (event === 'rename' && name !== null && names.has(name)) onReplaced();
      });
      return [watcher.on('error', () => undefined)];
    } catch {
      return [];
    }
  });
  return { stop: () => watchers.forEach((watcher) => watcher.close()) };
};

const namesByFolder = (paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    const names = folders.get(dirname(path)) ?? new Set();
    folders.set(dirname(path), names.add(basename(path)));
  }
  return folders;
};
