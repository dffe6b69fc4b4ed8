import { ActivityNotFoundError, ApplicationFailure, type Client } from '@temporalio/client';

const PAGE_SIZE = 500;
/** Far beyond the turns and write sessions that gateways admit; a list that never ends must not hold us. */
const MOST_PAGES = 20;
/** A turn's sticky queue is named in one of its last events, unless it has had none since it moved. */
const HISTORY_TAIL = 20;

/** temporal.api.enums.v1: PendingActivityState and TaskQueueKind. */
const RUNNING_STATES: readonly unknown[] = [2 /* started */, 3 /* cancel requested */];
const STICKY_KIND: unknown = 2;

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

const runningOn = async (client: Client, taskQueue: string): Promise<readonly Execution[]> => {
  const found: Execution[] = [];
  let nextPageToken: Uint8Array | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`,
      pageSize: PAGE_SIZE,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const { execution } of answer.executions) {
      const { workflowId, runId } = execution ?? {};
      if (workflowId && runId) found.push({ workflowId, runId });
    }
    nextPageToken = answer.nextPageToken ?? undefined;
    if (!nextPageToken?.length) break;
  }
  return found;
};

/** The SDK names a worker's sticky queue `<identity>-<random>` and tells nobody; histories name it. */
const stickyQueueIn = async (
  client: Client,
  execution: Execution,
  identity: string,
): Promise<string | undefined> => {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: HISTORY_TAIL,
  });
  const queues = (history?.events ?? []).map(
    (event) => event.workflowTaskScheduledEventAttributes?.taskQueue,
  );
  const own = queues.find((queue) => queue?.kind === STICKY_KIND && queue?.name?.startsWith(`${identity}-`));
  return own?.name ?? undefined;
};

/** The server then hands tasks of that queue to other workers at once, not after the queue's timeout. */
const shutDownSticky = async (
  client: Client,
  executions: readonly Execution[],
  worker: LostWorker,
): Promise<void> => {
  const found = await Promise.all(
    executions.map((execution) => stickyQueueIn(client, execution, worker.identity)),
  );
  await Promise.all(
    [...new Set(found)].map((stickyTaskQueue) =>
      client.workflowService.shutdownWorker({
        namespace: client.options.namespace,
        stickyTaskQueue: stickyTaskQueue ?? '',
        identity: worker.identity,
        reason: 'process ended',
        taskQueue: worker.taskQueue,
      }),
    ),
  );
};

/** `nextRetryDelay`: the end of a process is no reason to wait before the next attempt. */
const workerLost = (): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'The worker process that ran this attempt has ended.',
    type: 'worker_lost',
    nextRetryDelay: '1ms',
  });

const failActivities = async (client: Client, execution: Execution, identity: string): Promise<number> => {
  const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution,
  });
  const lost = pendingActivities.filter(
    ({ lastWorkerIdentity, state }) => lastWorkerIdentity === identity && RUNNING_STATES.includes(state),
  );
  const fail = async (activityId: string): Promise<void> => {
    try {
      await client.activity.fail({ ...execution, activityId }, workerLost());
    } catch (error) {
      // Its last words arrived after all: the attempt is over, which is all we want.
      if (!(error instanceof ActivityNotFoundError)) throw error;
    }
  };
  await Promise.all(lost.map(({ activityId }) => fail(activityId ?? '')));
  return lost.length;
};

export interface LostWorker {
  /** As the worker polled; must belong to one process alone. */
  readonly identity: string;
  readonly taskQueue: string;
}

/**
 * Tells Temporal that a worker process has ended, which it would otherwise learn from a missing heartbeat, tens
 * of seconds later: its workflows go to other workers at once, and its activities are retried at once. Returns
 * how many activities were lost. Throws what the server answers; the heartbeat timeout then does the same, later.
 * The server's list of workflows lags: one look misses those that have just begun. Each look takes those that are
 * not in `seen` (run ids) yet, and adds them.
 */
export const recoverFrom = async (worker: LostWorker, client: Client, seen: Set<string>): Promise<number> => {
  const listed = await runningOn(client, worker.taskQueue);
  const executions = listed.filter(({ runId }) => !seen.has(runId));
  await shutDownSticky(client, executions, worker);
  const lost = await Promise.all(
    executions.map((execution) => failActivities(client, execution, worker.identity)),
  );
  for (const { runId } of executions) seen.add(runId);
  return lost.reduce((sum, count) => sum + count, 0);
};
