import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cwd } from 'node:process';
import { z } from 'zod';
import { findLockOwner } from '../stack/processes/lock-file.ts';
import { stackPathsOf, stacksFolder, type StackPaths } from './stack-paths.ts';
import { readRecord } from './stack-record.ts';
import { errnoOf } from '../base/errors/errno.ts';

/** A stack on this machine whose supervisor lives, and the addresses at which it is reached. */
export interface RunningStack {
  readonly paths: StackPaths;
  /** Pid of the supervisor. */
  readonly pid: number;
  /** Base URL of the gateway, without a slash at its end. */
  readonly url: string;
  /** The `host:port` of the stack's Temporal server, which serves the namespace `default`. */
  readonly temporalAddress: string;
  /** Address of the Temporal Web UI. */
  readonly temporalUi: string;
}

/** Returns the running stack whose workspace is exactly this folder, or undefined if there is none. */
export const findStack = (stateDir: string, folder: string): RunningStack | undefined =>
  findStackAt(stackPathsOf(stateDir, folder));

/**
 * Returns the running stack of a folder, or of the nearest folder above it that has one. Returns undefined if none has.
 */
export const findNearestStack = (stateDir: string, folder: string): RunningStack | undefined => {
  const stack = findStack(stateDir, folder);
  const parent = dirname(folder);
  return stack ?? (parent === folder ? undefined : findNearestStack(stateDir, parent));
};

/**
 * Returns the running stack of the current folder or of the nearest one above it that has one. Returns undefined if
 * none has, and if the current folder was removed.
 */
export const findCurrentStack = (stateDir: string): RunningStack | undefined => {
  try {
    return findNearestStack(stateDir, cwd());
  } catch (error) {
    // A folder that was removed while the shell is in it has no name.
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Returns all running stacks, of all workspaces. */
export const listStacks = (stateDir: string): readonly RunningStack[] =>
  listEntries(stacksFolder(stateDir)).flatMap((name) => {
    const record = readRecord(join(stacksFolder(stateDir), name, 'stack.json'));
    return (record && findStack(stateDir, record.workspace)) ?? [];
  });

const listEntries = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const processesSchema = z.array(z.object({ role: z.string(), pid: z.int() }));
/** The processes of a stack, as the stack has recorded them. */
export type StackProcesses = z.infer<typeof processesSchema>;

/** Returns the processes of a running stack. The result is empty if the stack's list cannot be read. */
export const readStackProcesses = ({ dataDir }: StackPaths): StackProcesses => {
  try {
    const text = readFileSync(join(dataDir, 'processes.json'), 'utf8');
    return processesSchema.parse(JSON.parse(text));
  } catch {
    return [];
  }
};

const findStackAt = (paths: StackPaths): RunningStack | undefined => {
  const record = readRecord(paths.recordFile);
  const pid = record === undefined ? undefined : findSupervisorPid(paths);
  if (record === undefined || pid === undefined) return undefined;
  const { gateway, temporal, temporalUi } = record.ports;
  return {
    paths,
    pid,
    url: `http://127.0.0.1:${gateway}`,
    temporalAddress: `127.0.0.1:${temporal}`,
    temporalUi: `http://127.0.0.1:${temporalUi}`,
  };
};

/**
 * Returns the pid of a stack's supervisor, or undefined if it does not run. The supervisor has locked the list of its
 * processes (`openReapList`) for as long as it lives, while a file with a pid could be stale.
 */
const findSupervisorPid = ({ dataDir }: StackPaths): number | undefined =>
  findLockOwner(join(dataDir, 'processes.reap'));
