import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PREFIX = 'orion-command-';
/** Folder in which Linux distributions mount control groups. */
const MOUNTED_AT = '/sys/fs/cgroup';
/** Number of times that removing a group is tried, since killed processes leave it only a moment later. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 50;
/**
 * Age in milliseconds from which an empty group counts as left by a killed worker. A younger group may be empty because
 * its command is about to join.
 */
const ABANDONED_MS = 60_000;

/** A control group of one command, which bounds the number of its processes and threads. */
export interface CommandGroup {
  /** The file into which a process writes 0 to join. */
  readonly joinFile: string;
  /**
   * Removes the group once nothing runs in it. If something still does after a second, the group is left to the next
   * worker that opens control groups.
   */
  remove(): Promise<void>;
}

/** Makes control groups that bound processes (cgroups(7), controller `pids`). */
export interface CommandGroups {
  /** Makes a group in which at most `processes` processes and threads can run. Rejects when it cannot be made. */
  create(processes: number): Promise<CommandGroup>;
}

/**
 * Opens control groups for commands, and removes those that killed workers have left. Returns undefined if this process
 * may make none, which is tried out.
 */
export const openCommandGroups = async (mountedAt = MOUNTED_AT): Promise<CommandGroups | undefined> => {
  const ownGroups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  for (const place of candidateFolders(ownGroups, mountedAt)) {
    const trial = await createIn(place, 1).catch(() => undefined);
    if (trial === undefined) continue;
    await trial.remove();
    await removeAbandoned(place);
    return { create: (processes) => createIn(place, processes) };
  }
  return undefined;
};

/**
 * Returns the folders in which a group may be made, the best first. They are the folder of this process's own group
 * and, with version 2 of control groups, the folder above it: in that version a group that holds processes cannot have
 * groups below it that bound theirs. `ownGroups` is the text of `/proc/self/cgroup`.
 */
const candidateFolders = (ownGroups: string, mountedAt: string): readonly string[] =>
  ownGroups.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    if (controllers.split(',').includes('pids')) return [join(mountedAt, controllers, path)];
    return controllers === '' ? [join(mountedAt, path), join(mountedAt, dirname(path))] : [];
  });

const createIn = async (place: string, processes: number): Promise<CommandGroup> => {
  const folder = join(place, `${PREFIX}${randomUUID()}`);
  await mkdir(folder);
  const remove = () => removeGroup(folder);
  try {
    // Without the flag `r+`, a file of that name would be made in a place that is not a control group file system.
    await writeFile(join(folder, 'pids.max'), String(processes), { flag: 'r+' });
  } catch (error) {
    await remove();
    throw error;
  }
  return { joinFile: join(folder, 'cgroup.procs'), remove };
};

const removeGroup = async (folder: string): Promise<void> => {
  for (let attempt = 0; attempt < REMOVE_TRIES; attempt += 1) {
    const isRemoved = await rmdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'EBUSY',
    );
    if (isRemoved) return;
    await delay(REMOVE_PAUSE_MS);
  }
};

/** Removes the groups of killed workers, except a group in which something runs and one that was just made. */
const removeAbandoned = async (place: string): Promise<void> => {
  const names = (await readdir(place)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => removeIfOld(join(place, name)).catch(() => undefined)));
};

const removeIfOld = async (folder: string): Promise<void> => {
  if (Date.now() - (await stat(folder)).ctimeMs > ABANDONED_MS) await rmdir(folder);
};
