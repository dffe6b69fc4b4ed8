/** Covers the daily pruning on a real server: its schedule, and the workflow that the schedule starts. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ScheduleOverlapPolicy, type ScheduleHandle } from '@temporalio/client';
import { ensureRetentionSchedule, retentionScheduleId } from '../../worker/retention-schedule.ts';
import { TurnWorker } from '../support/turn-worker.ts';
import { eventually } from '../support/eventually.ts';

const report = {
  traces: 1,
  segments: 2,
  contexts: 3,
  calls: 0,
  transcripts: 3,
  executions: 4,
  changes: 0,
  inputs: 0,
  notifications: 5,
  files: 5,
};

let worker: TurnWorker | undefined;
let schedule: ScheduleHandle | undefined;
afterEach(async () => {
  await schedule?.delete();
  await worker?.stop();
  [worker, schedule] = [undefined, undefined];
});

const log = () => {
  const warnings: string[] = [];
  return { warnings, warn: (_fields: object, message: string) => void warnings.push(message) };
};

const untilStarted = (handle: ScheduleHandle): Promise<string> =>
  eventually(
    'a start',
    async () => (await handle.describe()).info.recentActions[0]?.action.workflow.workflowId,
  );

describe('retention', () => {
  it('has one schedule per task queue, whoever creates it, and prunes when its time comes', async () => {
    let pruned = 0;
    worker = await TurnWorker.start({
      pruneStorage: () => {
        pruned += 1;
        return Promise.resolve(report);
      },
    });
    const { client, taskQueue } = worker;
    const logged = log();
    await Promise.all(Array.from({ length: 5 }, () => ensureRetentionSchedule(client, taskQueue, logged)));
    expect(logged.warnings).toEqual([]);
    schedule = client.schedule.getHandle(retentionScheduleId(taskQueue));
    const { spec, policies } = await schedule.describe();
    expect(spec.calendars).toMatchObject([{ hour: [{ start: 3, end: 3 }] }]);
    expect(policies.overlap).toBe(ScheduleOverlapPolicy.SKIP);
    await schedule.trigger();
    const workflowId = await untilStarted(schedule);
    await expect(client.workflow.getHandle(workflowId).result()).resolves.toEqual(report);
    expect(pruned).toBe(1);
  });

  it('is missed with one warning, and nothing else, where no schedule may be created', async () => {
    worker = await TurnWorker.start({});
    const { client, taskQueue } = worker;
    const refusing = Object.create(client, {
      schedule: { value: { create: () => Promise.reject(new Error('7 PERMISSION_DENIED')) } },
    }) as typeof client;
    const logged = log();
    await ensureRetentionSchedule(refusing, taskQueue, logged);
    expect(logged.warnings).toHaveLength(1);
  });

  it('keeps the plain name for the task queue that nobody has renamed', () => {
    expect(retentionScheduleId('orion')).toBe('orion-retention');
  });
});
