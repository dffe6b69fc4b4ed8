import { constants } from 'node:fs';
import { access, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Several machines need shared volumes (docs/architecture.md "Processes"): one that is not mounted, is mounted read-only
 * or is full shows here, before a write session finds out.
 */

/** Asks whether this process may write to a directory of ours, by doing it. */
export const createDataProbe = (folder: string): (() => Promise<void>) => {
  const path = join(folder, `.ready-${process.pid}`);
  return oneAtATime(async () => {
    await writeFile(path, 'ready');
    await rm(path, { force: true });
  });
};

/** The same of a directory of people, where no file is made: their programs watch it. */
export const createWorkspaceProbe = (folder: string): (() => Promise<void>) =>
  oneAtATime(async () => {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a directory`);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });

/** A network volume that hangs keeps a thread of Node's small pool for each question. */
const oneAtATime = (probe: () => Promise<void>): (() => Promise<void>) => {
  let asked: Promise<void> | undefined;
  return () => (asked ??= probe().finally(() => (asked = undefined)));
};
