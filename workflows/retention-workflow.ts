import { proxyActivities } from '@temporalio/workflow';
import type { PruneReport, RetentionActivities } from '../activities/prune-storage.ts';

/** Nothing retries for longer: a day later the schedule starts the workflow again. */
const { pruneStorage } = proxyActivities<RetentionActivities>({
  summary: 'prune storage',
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes', maximumAttempts: 10 },
});

/** Prunes the storage. It is started daily by the schedule of `worker/retention-schedule.ts`, one at a time. */
export const retentionWorkflow = (): Promise<PruneReport> => pruneStorage();
