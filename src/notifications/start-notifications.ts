import { createHash } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Log } from '../base/log.ts';
import type { OutboxRepository } from '../db/inputs/outbox-repository.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';

export interface NotificationDeps {
  readonly client: Client;
  readonly taskQueue: string;
  readonly outbox: OutboxRepository;
  /** Counts a message whose workflow has ended without success. */
  readonly countGivenUp: () => void;
}

/** Milliseconds after which a message is given up. A receiver that is away for a day gets nothing of that day. */
const MAX_TRY_MS = 25 * 60 * 60_000;

/**
 * Returns the workflow id of a message, made of a hash: ids of turns may be long, and those of workflows are shown in
 * lists.
 */
export const notifyWorkflowId = (webhookId: string): string =>
  `notify/${createHash('sha256').update(webhookId).digest('hex').slice(0, 32)}`;

/**
 * Starts the workflow of a message. `closed_here`: the workflow has ended without success, and the message is given up.
 */
export const startNotification = async (
  { client, taskQueue, outbox, countGivenUp }: NotificationDeps,
  webhookId: string,
): Promise<'running' | 'closed_here'> => {
  try {
    await callWithDeadline(client, () =>
      client.workflow.start('notifyWorkflow', {
        workflowId: notifyWorkflowId(webhookId),
        taskQueue,
        args: [{ webhookId }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowExecutionTimeout: MAX_TRY_MS,
        staticSummary: webhookId.slice(-200),
      }),
    );
    await outbox.markStarted(webhookId);
    return 'running';
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (await outbox.end(webhookId, 'given_up')) countGivenUp();
    return 'closed_here';
  }
};

/** Starts the due messages of a turn. Never rejects: what cannot be started now the sweeper starts later. */
export type StartNotifications = (turnId: string) => Promise<void>;

/** Starts the workflows of messages over Postgres and Temporal. */
export const createStartNotifications =
  (deps: NotificationDeps, log: Pick<Log, 'warn'>): StartNotifications =>
  async (turnId) => {
    try {
      for (const webhookId of await deps.outbox.listDue(turnId)) await startNotification(deps, webhookId);
    } catch (error) {
      log.warn({ err: error, turnId }, 'notifications are not started yet');
    }
  };
