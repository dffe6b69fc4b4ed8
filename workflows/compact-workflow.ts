import { proxyActivities } from '@temporalio/workflow';
import type { CompactActivities } from '../activities/summarise.ts';
import type { CompactInput, CompactReport } from '../src/contracts/payload/compact-payloads.ts';

/** Lost workers are not the model's fault, so attempts are many; a provider that fails is asked three times. */
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

/** A window of 2,000,000 tokens takes four steps; each step takes in at least one turn. */
const MAX_STEPS = 100;

/**
 * Summarises what the next anchor of a conversation will leave out (docs/context.md "Compaction"). The text is only in
 * Postgres. Only ids and counts pass through here.
 */
export const compactWorkflow = async (input: CompactInput): Promise<CompactReport> => {
  try {
    for (let step = 1; step < MAX_STEPS; step += 1) {
      const report = await summarise(input);
      if (report.kind !== 'more') return report;
    }
    return await summarise(input);
  } catch (error) {
    await endCompaction(input);
    throw error;
  }
};
