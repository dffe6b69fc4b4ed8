import { DAY_MS } from '../values/units.ts';

/** The argument of the workflow `notifyWorkflow`. */
export interface NotifyInput {
  readonly webhookId: string;
}

/** Milliseconds for which `notifyWorkflow` tries to send a message. */
export const MAX_SENDING_MS = DAY_MS;
