import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Log } from '../base/log.ts';
import { compactWorkflowId } from '../contracts/values/workflow-ids.ts';
import type { CompactInput } from '../contracts/payload/compact-payloads.ts';
import type { SummaryClaims } from '../db/conversations/summary-claims.ts';
import { callWithDeadline } from '../temporal/call-deadline.ts';
import { mayCompactionContinue } from './abandoned-summaries.ts';

export interface StartCompactionDeps {
  readonly client: Client;
  readonly taskQueue: string;
  /**
   * Finds the turns that the next anchor after an ended turn will leave out. Returns undefined while prompts still have
   * enough room, or when a finished summary already covers some of those turns.
   */
  readonly findTurnsToSummarise: (leafTurnId: string) => Promise<CompactInput | undefined>;
  readonly claims: SummaryClaims;
}

/** Milliseconds after which Temporal ends a compaction, because its summary would come too late. */
const MAX_RUN_MS = 60 * 60_000;

/**
 * Starts the compaction of the branch that ends with `leafTurnId`, if its turns fill most of the model's context
 * window. Never rejects: without a summary, prompts contain a line that says what they leave out.
 */
export type StartCompaction = (leafTurnId: string) => Promise<void>;

/**
 * Creates the function that starts compactions, each at most once, because the row of a compaction is written first and
 * a second start is refused. If a process died in between, the next turn that ends starts it.
 */
export const createStartCompaction =
  (deps: StartCompactionDeps, log: Pick<Log, 'warn'>): StartCompaction =>
  async (leafTurnId) => {
    try {
      const turnsToSummarise = await deps.findTurnsToSummarise(leafTurnId);
      const input = turnsToSummarise && (await deps.claims.claim(turnsToSummarise));
      if (input === undefined || (await tryStart(deps, input))) return;
      if (await mayCompactionContinue(deps.client, input.turnId)) return;
      // The workflow has ended without finishing the summary, so a later one may begin.
      await deps.claims.abandon(input.turnId);
    } catch (error) {
      log.warn({ err: error, turnId: leafTurnId }, 'earlier turns are not summarised');
    }
  };

/** Starts the workflow. Returns false when it was started before. */
const tryStart = async (
  { client, taskQueue }: Pick<StartCompactionDeps, 'client' | 'taskQueue'>,
  input: CompactInput,
): Promise<boolean> => {
  try {
    await callWithDeadline(client, () =>
      client.workflow.start('compactWorkflow', {
        workflowId: compactWorkflowId(input.turnId),
        taskQueue,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        workflowExecutionTimeout: MAX_RUN_MS,
        staticSummary: `up to ${input.turnId}`.slice(0, 200),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
};
