import { createHash } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Log } from '../base/log.ts';
import { MAX_SENDING_MS } from '../contracts/payload/notify-payloads.ts';
import type { OutboxRepository } from '../db/outbox/outbox-repository.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';

export interface NotificationDeps {
  readonly client: Client;
  readonly taskQueue: string;
  readonly outbox: OutboxRepository;
  /** Counts a message that is given up because its workflow has ended without success. */
  readonly countGivenUp: () => void;
}

/**
 * Milliseconds after which Temporal ends the workflow of a message. The workflow itself stops trying an hour before.
 */
const EXECUTION_TIMEOUT_MS = MAX_SENDING_MS + 60 * 60_000;

/**
 * Returns the workflow id of a message. It contains a hash, because ids of turns may be long, and lists show workflow
 * ids.
 */
export const notifyWorkflowId = (webhookId: string): string =>
  `notify/${createHash('sha256').update(webhookId).digest('hex').slice(0, 32)}`;

/**
 * Starts the workflow of a message, unless it runs already. Returns `closed_here` when the workflow has ended; a
 * message that it has not sent is then given up. Throws while Temporal or Postgres cannot be reached.
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
        workflowExecutionTimeout: EXECUTION_TIMEOUT_MS,
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

/**
 * Starts the workflows of a turn's due messages. Never rejects: the sweeper later starts what cannot be started now.
 */
export type StartNotifications = (turnId: string) => Promise<void>;

/** Creates the function that is called whenever a turn makes a request, has one resolved, or ends. */
export const createStartNotifications =
  (deps: NotificationDeps, log: Pick<Log, 'warn'>): StartNotifications =>
  async (turnId) => {
    try {
      for (const webhookId of await deps.outbox.listDue(turnId)) await startNotification(deps, webhookId);
    } catch (error) {
      log.warn({ err: error, turnId }, 'notifications are not started yet');
    }
  };
