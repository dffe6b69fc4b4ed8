import { proxyActivities } from '@temporalio/workflow';
import type { CompactActivities } from '../activities/compact-activities.ts';
import type { CompactInput, CompactReport } from '../src/contracts/payload/compact-payloads.ts';

/**
 * Gives each step ten attempts, since lost workers are not the model's fault. The activity itself gives up at the
 * provider's third error, or at once if the error will not pass.
 */
const { summarise } = proxyActivities<CompactActivities>({
  summary: 'summarise earlier turns',
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 3,
    maximumInterval: '1 minute',
    maximumAttempts: 10,
  },
});

const { endCompaction } = proxyActivities<CompactActivities>({
  summary: 'settle what was lost',
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/**
 * Largest number of steps of one summary. Even a window of 2,000,000 tokens takes fewer, because a step takes in as
 * many turns as fit into 48,000 tokens, and at least one (`MAX_STEP_TOKENS` of src/prompts/summary-prompt.ts).
 */
const MAX_STEPS = 100;

/**
 * Summarises the turns that the next anchor of a conversation will leave out (docs/context.md "Compaction"). Only ids
 * and counts pass through the workflow, because the text is kept only in Postgres. Fails when a step has used up its
 * attempts, after settling the costs that these have reserved. When it is cancelled, it settles nothing, since the
 * activity may still be at work: a sweeper settles what is left then (`settleAbandonedSummary`).
 */
export const compactWorkflow = async (input: CompactInput): Promise<CompactReport> => {
  try {
    for (let step = 1; step < MAX_STEPS; step += 1) {
      const report = await summarise(input);
      if (report.kind !== 'more') return report;
    }
    return await summarise(input);
  } catch (error) {
    // In a workflow that is cancelled, this throws without running the activity.
    await endCompaction(input);
    throw error;
  }
};
