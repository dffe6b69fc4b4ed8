import type { Client } from '@temporalio/client';

/** Stands for `client.withDeadline`: makes the call without a deadline. */
export const withoutDeadline: Client['withDeadline'] = (_deadline, call) => call();
