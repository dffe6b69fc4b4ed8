import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { errorMessage } from '../src/contracts/values/error-message.ts';
import type { NotifyInput } from '../src/contracts/payload/notify-payloads.ts';
import type { OutboxRepository } from '../src/db/outbox/outbox-repository.ts';
import type { SendWebhook } from '../src/notifications/webhook-client.ts';

/** The activity of `notifyWorkflow`: sends one message to the configured webhook. */
export interface NotifyActivities {
  /**
   * Makes one attempt to send a message. Rejects while the receiver does not take the message, or Postgres is away, so
   * that Temporal tries again. Resolves when the message was sent or given up, now or earlier. A message is given up if
   * there is no webhook or the receiver wants no messages.
   */
  sendNotification(input: NotifyInput): Promise<void>;
}

/** The result of one attempt to send, as metrics count it. Another attempt follows only after `failed`. */
export type NotificationOutcome = 'sent' | 'failed' | 'given_up';

export interface SendNotificationDeps {
  readonly outbox: Pick<OutboxRepository, 'find' | 'end'>;
  /** Sends one message to the webhook. Absent if no webhook is configured. */
  readonly sendWebhook?: SendWebhook;
  readonly countNotification: (outcome: NotificationOutcome) => void;
}

/** Status by which a receiver says that it wants no further messages (Standard Webhooks). */
const GONE = 410;

/**
 * Creates the activity that sends a message of the outbox. A message that the receiver has taken is sent again only if
 * its response was lost, or if it could not be stored that the message was sent.
 */
export const createSendNotification =
  (deps: SendNotificationDeps): NotifyActivities['sendNotification'] =>
  async ({ webhookId }) => {
    const message = await deps.outbox.find(webhookId);
    if (message?.state !== 'due') return;
    const { sendWebhook } = deps;
    if (!sendWebhook) return giveUp(deps, webhookId, 'no webhook is configured now');
    const status = await attempt(deps, () => sendWebhook(message, Context.current().cancellationSignal));
    if (status === GONE) return giveUp(deps, webhookId, 'the receiver answered 410');
    if (status < 200 || status > 299) {
      deps.countNotification('failed');
      throw deliveryFailure(`the receiver answered ${status}`);
    }
    await deps.outbox.end(webhookId, 'sent');
    deps.countNotification('sent');
  };

const attempt = async (
  { countNotification }: SendNotificationDeps,
  send: () => Promise<number>,
): Promise<number> => {
  try {
    return await send();
  } catch (error) {
    countNotification('failed');
    throw deliveryFailure(errorMessage(error));
  }
};

/** Returns a failure that Temporal retries. It has no cause, whose stack would tell readers of the workflow nothing. */
const deliveryFailure = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'webhook_failed' });

const giveUp = async (
  { outbox, countNotification }: SendNotificationDeps,
  webhookId: string,
  reason: string,
): Promise<void> => {
  log.warn('a notification is given up', { webhookId, reason });
  await outbox.end(webhookId, 'given_up');
  countNotification('given_up');
};
