import { proxyActivities } from '@temporalio/workflow';
import type { PruneReport, RetentionActivities } from '../activities/prune-storage.ts';

/** The attempts are bounded, because the schedule starts the workflow again a day later. */
const { pruneStorage } = proxyActivities<RetentionActivities>({
  summary: 'prune storage',
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes', maximumAttempts: 10 },
});

/** Prunes the storage. The schedule of `worker/retention-schedule.ts` starts it daily, and only one at a time. */
export const retentionWorkflow = (): Promise<PruneReport> => pruneStorage();
