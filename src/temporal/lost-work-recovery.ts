import { ActivityNotFoundError, ApplicationFailure, type Client } from '@temporalio/client';
import { limitConcurrency } from '../base/timing/concurrency-limit.ts';

const PAGE_SIZE = 500;
/**
 * Largest number of pages that are read. They hold far more than the turns and write sessions that gateways admit. A
 * list that never ends must not occupy this process for ever.
 */
const MAX_PAGES = 20;
/**
 * Number of events that are read at the end of a history. A workflow that a worker has cached names its sticky queue in
 * one of its last events.
 */
const HISTORY_TAIL = 20;

/** Number of workflows or activities that are handled at once, so that a pass does not overload the server. */
const MAX_REQUESTS_AT_ONCE = 50;

/* Numbers of PendingActivityState and TaskQueueKind of temporal.api.enums.v1. `@temporalio/client` exports no enums. */
const RUNNING_STATES: readonly unknown[] = [2 /* started */, 3 /* cancel requested */];
const STICKY_KIND: unknown = 2;

/** Finds out which workers of a task queue belong to processes that have ended. */
export interface LostWorkers {
  readonly taskQueue: string;
  /**
   * Returns the identities whose process has ended. `identities` are those under which workers were just seen to poll.
   * Call it after they were seen, so that a worker that began meanwhile does not count as missing.
   */
  findLost(identities: ReadonlySet<string>): ReadonlySet<string> | Promise<ReadonlySet<string>>;
}

/**
 * Tells Temporal that worker processes have ended. Their workflows then go to other workers, and their activities are
 * retried, at once. Otherwise Temporal would notice only by missing heartbeats, tens of seconds later. Returns the
 * number of activities that lost workers were running.
 *
 * - The server's list of workflows lags, so one pass misses workflows that have just begun. A pass handles only those
 *   whose run ids are not in `seen` yet, and adds their run ids.
 * - It rejects when a request to the server fails. A failed inspection of one workflow keeps no other from being
 *   handled, and the next pass takes it again. Otherwise the heartbeat timeout has the same effect, later.
 */
export const recoverLostWork = async (
  workers: LostWorkers,
  client: Client,
  seen: Set<string>,
): Promise<number> => {
  const listed = await listRunningOn(client, workers.taskQueue);
  const executions = listed.filter(({ runId }) => !seen.has(runId));
  const { values: inspections, failure: inspectionFailure } = await handleEach(executions, (execution) =>
    inspect(client, execution),
  );
  const stickyQueues = [...new Set(inspections.map(({ stickyQueue }) => stickyQueue))].filter(
    (queue) => queue !== undefined,
  );
  const runningActivities = inspections.flatMap(({ activities }) => activities);
  const identities = [...stickyQueues.map(identityOf), ...runningActivities.map(({ identity }) => identity)];
  const lost = await workers.findLost(new Set(identities));
  const lostQueues = stickyQueues.filter((queue) => lost.has(identityOf(queue)));
  await Promise.all(lostQueues.map((queue) => shutDownStickyQueue(client, queue, workers)));
  const interrupted = runningActivities.filter(({ identity }) => lost.has(identity));
  const { failure: endingFailure } = await handleEach(interrupted, (activity) =>
    failActivity(client, activity),
  );
  const firstFailure = inspectionFailure ?? endingFailure;
  if (endingFailure === undefined) for (const { runId } of inspections) seen.add(runId);
  if (firstFailure) throw firstFailure.reason;
  return interrupted.length;
};

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

const listRunningOn = async (client: Client, taskQueue: string): Promise<readonly Execution[]> => {
  const executions: Execution[] = [];
  let nextPageToken: Uint8Array | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`,
      pageSize: PAGE_SIZE,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const { execution } of page.executions) {
      const { workflowId, runId } = execution ?? {};
      if (workflowId && runId) executions.push({ workflowId, runId });
    }
    nextPageToken = page.nextPageToken ?? undefined;
    if (!nextPageToken?.length) break;
  }
  return executions;
};

/** What an inspection of a workflow has shown. */
interface InspectedWorkflow {
  readonly runId: string;
  readonly stickyQueue: string | undefined;
  readonly activities: readonly RunningActivity[];
}

const inspect = async (client: Client, execution: Execution): Promise<InspectedWorkflow> => {
  const [stickyQueue, activities] = await Promise.all([
    findStickyQueue(client, execution),
    listRunningActivities(client, execution),
  ]);
  return { runId: execution.runId, stickyQueue, activities };
};

const findStickyQueue = async (client: Client, execution: Execution): Promise<string | undefined> => {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: HISTORY_TAIL,
  });
  const queues = (history?.events ?? []).map(
    (event) => event.workflowTaskScheduledEventAttributes?.taskQueue,
  );
  return queues.find((queue) => queue?.kind === STICKY_KIND)?.name ?? undefined;
};

/**
 * Matches the end of the name of a sticky queue. The SDK names it `<identity>-<random>`, and only histories show the
 * name.
 */
const RANDOM_SUFFIX = /-[0-9a-f]{32}$/;

/** Returns the identity of the worker that polls a sticky queue. */
const identityOf = (stickyQueue: string): string => stickyQueue.replace(RANDOM_SUFFIX, '');

interface RunningActivity {
  readonly execution: Execution;
  readonly activityId: string;
  readonly identity: string;
}

const listRunningActivities = async (
  client: Client,
  execution: Execution,
): Promise<readonly RunningActivity[]> => {
  const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution,
  });
  return pendingActivities
    .filter(({ state }) => RUNNING_STATES.includes(state))
    .map(({ activityId, lastWorkerIdentity }) => ({
      execution,
      activityId: activityId ?? '',
      identity: lastWorkerIdentity ?? '',
    }));
};

/**
 * Ends the sticky queue of a lost worker. The server then hands its tasks to other workers at once, and not after the
 * queue's timeout.
 */
const shutDownStickyQueue = async (
  client: Client,
  stickyTaskQueue: string,
  { taskQueue }: LostWorkers,
): Promise<void> => {
  await client.workflowService.shutdownWorker({
    namespace: client.options.namespace,
    stickyTaskQueue,
    identity: identityOf(stickyTaskQueue),
    reason: 'process ended',
    taskQueue,
  });
};

const failActivity = async (client: Client, { execution, activityId }: RunningActivity): Promise<void> => {
  try {
    await client.activity.fail({ ...execution, activityId }, workerLostFailure());
  } catch (error) {
    // The attempt is over already: its result has arrived, it has timed out, or its workflow has ended.
    if (!(error instanceof ActivityNotFoundError)) throw error;
  }
};

/** Returns the failure of an attempt whose worker process has ended. The next attempt need not wait. */
const workerLostFailure = (): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'The worker process that ran this attempt has ended.',
    type: 'worker_lost',
    nextRetryDelay: '1ms',
  });

/** Handles each item, also after one has failed. Returns the results, and the first failure if there was one. */
const handleEach = async <T, R>(
  items: readonly T[],
  handle: (item: T) => Promise<R>,
): Promise<{ readonly values: R[]; readonly failure: PromiseRejectedResult | undefined }> => {
  const limit = limitConcurrency(MAX_REQUESTS_AT_ONCE);
  const settled = await Promise.allSettled(items.map((item) => limit(() => handle(item))));
  return {
    values: settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    failure: settled.find((result) => result.status === 'rejected'),
  };
};
