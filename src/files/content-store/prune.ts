import { randomUUID } from 'node:crypto';
import { link, lstat, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../base/errors/errno.ts';
import { DAY_MS } from '../../contracts/values/units.ts';

/** The time for which content stays that nobody stores or reads, in milliseconds (docs/storage.md "Retention"). */
export const UNUSED_CONTENT_MS = DAY_MS;
/**
 * The time in which a commit, or what a turn has changed, can be undone, in milliseconds (docs/storage.md "Retention").
 */
export const UNDO_MS = 7 * DAY_MS;

/** Paths of the store's folders, by what they hold. */
export interface StoreFolders {
  /** Contents of sessions; the other folders lie in this one. */
  readonly blobs: string;
  readonly undo: string;
  readonly drafts: string;
  readonly temps: string;
}

/**
 * Removes what has outlived its time, except content and drafts of the sessions `kept`. Returns how many files and
 * drafts it removed.
 */
export const pruneStore = async (
  folders: StoreFolders,
  now: Date,
  kept: ReadonlySet<string>,
): Promise<number> => {
  const unused = now.getTime() - UNUSED_CONTENT_MS;
  const counts = [
    await pruneFiles(folders.temps, unused, unlink),
    await pruneFiles(folders.blobs, unused, (path) => takeAway(path, unused, folders.temps), kept),
    await pruneFiles(folders.undo, now.getTime() - UNDO_MS, (path) =>
      takeAway(path, now.getTime() - UNDO_MS, folders.temps),
    ),
    await pruneDrafts(folders.drafts, unused, kept),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
};

const NONE: ReadonlySet<string> = new Set();

/**
 * Removes the files of a folder that were last stored or used before the time `before`, in milliseconds since
 * 1970. Returns their number. A file that is gone already is no failure, since another process may prune at the same
 * time.
 */
const pruneFiles = async (
  folder: string,
  before: number,
  remove: (path: string) => Promise<void>,
  kept: ReadonlySet<string> = NONE,
): Promise<number> => {
  let removedCount = 0;
  for (const name of await readdir(folder)) {
    if (kept.has(sessionOf(name))) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(ignoreMissing);
    if (stats === undefined || !stats.isFile() || stats.mtimeMs >= before) continue;
    // One file that cannot be removed (its other name is an immutable file of a workspace) must not keep the others
    // from being removed.
    if (await remove(path).then(() => true, ignoreMissingOrRefused)) removedCount += 1;
  }
  return removedCount;
};

/** Returns the session of a content by its name, `<session>.<hash>`, or '' for a name without a session. */
const sessionOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('.')));

/**
 * Removes a file unless it is stored again at this very moment: it is set aside first, checked there, and put back when
 * it turns out to be new. A plain unlink could hit the file that was just renamed over the old one.
 */
const takeAway = async (path: string, before: number, temps: string): Promise<void> => {
  const aside = join(temps, randomUUID());
  await rename(path, aside);
  if ((await lstat(aside)).mtimeMs >= before) await link(aside, path).catch(ignoreExisting);
  await unlink(aside);
};

/**
 * Removes drafts and returns their number. A draft's age is that of its newest chunk, which is when its directory
 * changed last.
 */
const pruneDrafts = async (drafts: string, before: number, kept: ReadonlySet<string>): Promise<number> => {
  let removedCount = 0;
  for (const name of await readdir(drafts)) {
    if (kept.has(name)) continue;
    const path = join(drafts, name);
    const stats = await lstat(path).catch(ignoreMissing);
    if (stats === undefined || stats.mtimeMs >= before) continue;
    await rm(path, { recursive: true, force: true });
    removedCount += 1;
  }
  return removedCount;
};

const ignoring =
  (...errnos: readonly string[]) =>
  (error: unknown): undefined => {
    if (!errnos.includes(errnoOf(error) ?? '')) throw error;
  };
const ignoreMissing = ignoring('ENOENT');
const ignoreMissingOrRefused = ignoring('ENOENT', 'EPERM');
const ignoreExisting = ignoring('EEXIST');
