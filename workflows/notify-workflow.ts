import { proxyActivities } from '@temporalio/workflow';
import type { NotifyActivities } from '../activities/send-notification.ts';
import { MAX_SENDING_MS, type NotifyInput } from '../src/contracts/payload/notify-payloads.ts';

/** Temporal tries at once, then after 5 s, 15 s, 45 s … and in the end once an hour, for a day. */
const { sendNotification } = proxyActivities<NotifyActivities>({
  summary: 'tell the webhook',
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: MAX_SENDING_MS,
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '1 hour' },
});

/**
 * Sends one message to the webhook (docs/notifications.md). It is a workflow of its own, so that the turn which the
 * message is about never waits for a receiver.
 */
export const notifyWorkflow = ({ webhookId }: NotifyInput): Promise<void> => sendNotification({ webhookId });
