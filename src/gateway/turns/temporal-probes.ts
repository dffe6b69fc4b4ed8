import type { TemporalClient } from '../../temporal/temporal-client.ts';
import type { ReadinessProbes } from '../health/readiness.ts';

const PROBE_MS = 1_500;
/** A worker's poll lasts up to a minute; one that has not polled for longer is gone. */
const POLLER_MS = 70_000;
/** temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW */
const WORKFLOW_QUEUE = 1;

export const createTemporalProbes = (
  { connection, namespace }: TemporalClient,
  taskQueue: string,
): Pick<ReadinessProbes, 'temporal' | 'worker'> => {
  const { workflowService } = connection;
  const soon = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + PROBE_MS, call);
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
