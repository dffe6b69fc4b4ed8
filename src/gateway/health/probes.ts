import { constants } from 'node:fs';
import { access, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TemporalClient } from '../../temporal/temporal-client.ts';
import type { FreeSpace } from '../storage/free-space.ts';
import { PROBE_DEADLINE_MS, type ReadinessProbes } from './readiness.ts';

/*
 * Checks before a turn or a write session depends on them. Several machines need shared volumes (docs/architecture.md
 * "Processes"): one that is not mounted, is mounted read-only or is full shows here first.
 */

/** Checks whether this process may write to one of our directories, by writing to it. */
export const createDataProbe = (folder: string): (() => Promise<void>) => {
  const path = join(folder, `.ready-${process.pid}`);
  return oneAtATime(async () => {
    await writeFile(path, 'ready');
    await rm(path, { force: true });
  });
};

/** Checks whether a directory of people can be written to, without making a file in it: their programs watch it. */
export const createWorkspaceProbe = (folder: string): (() => Promise<void>) =>
  oneAtATime(async () => {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a directory`);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });

/** Runs one probe at a time: a network volume that hangs holds a thread of Node's small pool for each. */
const oneAtATime = (probe: () => Promise<void>): (() => Promise<void>) => {
  let pendingProbe: Promise<void> | undefined;
  return () => (pendingProbe ??= probe().finally(() => (pendingProbe = undefined)));
};

/** A worker's poll lasts up to a minute; a worker that has not polled for longer is gone. */
const POLLER_MS = 70_000;
/** temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW */
const WORKFLOW_QUEUE = 1;

/** Creates probes that ask Temporal if it answers and if a worker polls. Each rejects if not, within 1.5 s. */
export const createTemporalProbes = (
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Pick<ReadinessProbes, 'temporal' | 'worker'> => {
  const { workflowService } = connection;
  const soon = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + PROBE_DEADLINE_MS, call);
  return {
    temporal: async () => {
      await soon(() => workflowService.getSystemInfo({}));
    },
    worker: async () => {
      const request = { namespace, taskQueue: { name: taskQueue }, taskQueueType: WORKFLOW_QUEUE };
      const { pollers } = await soon(() => workflowService.describeTaskQueue(request));
      const seen = pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000);
      if (seen.some((time) => Date.now() - time < POLLER_MS)) return;
      throw new Error(`no worker polls the task queue ${taskQueue}`);
    },
  };
};

/** Checks whether the disks have room for what people send. */
export const createStorageProbe =
  (free: Pick<FreeSpace, 'hold'>): (() => Promise<void>) =>
  async () => {
    const release = await free.hold(0);
    if (release === undefined) throw new Error('too little free disk space (ORION_MIN_FREE_BYTES)');
    release();
  };
