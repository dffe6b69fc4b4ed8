/*
 * Probes of what turns and write sessions depend on, so that a problem is known before one of them runs into it.
 * Several machines need shared volumes (docs/architecture.md "Processes"). A volume that is not mounted, is mounted
 * read-only or is full is noticed here.
 */
import { constants } from 'node:fs';
import { access, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TemporalClient } from '../../temporal/temporal-client.ts';
import type { FreeSpace } from '../storage/free-space.ts';
import { PROBE_DEADLINE_MS, type ReadinessProbes } from './readiness.ts';

/**
 * Returns a probe that checks whether this process may write to the data directory, by writing a file. Rejects with the
 * file system's error.
 */
export const createDataProbe = (folder: string): (() => Promise<void>) => {
  const path = join(folder, `.ready-${process.pid}`);
  return shareProbe(async () => {
    await writeFile(path, 'ready');
    await rm(path, { force: true });
  });
};

/**
 * Returns a probe that checks whether this process may write to a workspace. It makes no file there, since people's
 * programs watch the folder. Rejects with the reason.
 */
export const createWorkspaceProbe = (folder: string): (() => Promise<void>) =>
  shareProbe(async () => {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a directory`);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });

/**
 * Lets calls share a probe that is under way, because on a network volume that hangs each probe holds a thread of
 * Node's small pool.
 */
const shareProbe = (probe: () => Promise<void>): (() => Promise<void>) => {
  let pendingProbe: Promise<void> | undefined;
  return () => (pendingProbe ??= probe().finally(() => (pendingProbe = undefined)));
};

/** Milliseconds since its last poll after which a worker counts as gone. A poll lasts up to a minute. */
const MAX_POLL_AGE_MS = 70_000;
/**
 * The number of TASK_QUEUE_TYPE_WORKFLOW of temporal.api.enums.v1.TaskQueueType, an enum that `@temporalio/client` does
 * not export.
 */
const WORKFLOW_QUEUE = 1;

/**
 * Creates the probes that ask Temporal whether it answers, and whether a worker polls the task queue. Each rejects if
 * not, within `PROBE_DEADLINE_MS`.
 */
export const createTemporalProbes = (
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Pick<ReadinessProbes, 'temporal' | 'worker'> => {
  const { workflowService } = connection;
  const withProbeDeadline = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + PROBE_DEADLINE_MS, call);
  return {
    temporal: async () => {
      await withProbeDeadline(() => workflowService.getSystemInfo({}));
    },
    worker: async () => {
      const request = { namespace, taskQueue: { name: taskQueue }, taskQueueType: WORKFLOW_QUEUE };
      const { pollers } = await withProbeDeadline(() => workflowService.describeTaskQueue(request));
      const pollTimes = pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000);
      if (pollTimes.some((time) => Date.now() - time < MAX_POLL_AGE_MS)) return;
      throw new Error(`no worker polls the task queue ${taskQueue}`);
    },
  };
};

/** Returns a probe that checks whether the disks have room for what people send. Rejects if not. */
export const createStorageProbe =
  (free: Pick<FreeSpace, 'hold'>): (() => Promise<void>) =>
  async () => {
    const release = await free.hold(0);
    if (release === undefined) throw new Error('too little free disk space (ORION_MIN_FREE_BYTES)');
    release();
  };
