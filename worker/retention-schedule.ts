import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE } from '../src/config/settings/process-settings.ts';

/** The id of the schedule for the default task queue. */
const RETENTION = 'orion-retention';
/** Hour of the day (UTC) of the daily run, at which few people work. */
const HOUR = 3;
/** Milliseconds that Temporal may take to create the schedule. */
const CREATE_DEADLINE_MS = 10_000;

/**
 * Returns the id of a deployment's schedule. Deployments that share a namespace have different task queues and
 * databases, so each needs a schedule of its own.
 */
export const retentionScheduleId = (taskQueue: string): string =>
  taskQueue === DEFAULT_TASK_QUEUE ? RETENTION : `${RETENTION}/${taskQueue}`;

/**
 * Lets Temporal start `retentionWorkflow` once a day. The first worker of a deployment creates the schedule, and later
 * ones leave it as it is, so that an operator may pause it or choose another hour. Never rejects. A failure is logged:
 * storage is not pruned until a worker has created the schedule.
 */
export const ensureRetentionSchedule = async (
  client: Client,
  taskQueue: string,
  log: { warn(fields: object, message: string): void },
): Promise<void> => {
  const scheduleId = retentionScheduleId(taskQueue);
  try {
    await client.withDeadline(Date.now() + CREATE_DEADLINE_MS, () =>
      client.schedule.create({
        scheduleId,
        spec: { calendars: [{ hour: HOUR, comment: 'daily' }], jitter: '30 minutes' },
        action: {
          type: 'startWorkflow',
          workflowType: 'retentionWorkflow',
          workflowId: scheduleId,
          taskQueue,
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
      }),
    );
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return;
    log.warn({ err: error, scheduleId }, 'no schedule for pruning: old traces and content stay');
  }
};
