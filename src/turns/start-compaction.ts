import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Log } from '../base/log.ts';
import { compactWorkflowId } from '../contracts/ids.ts';
import type { CompactInput } from '../contracts/payload/compact-payloads.ts';
import { callInTime } from '../temporal/call-deadline.ts';

export interface StartCompactionDeps {
  readonly client: Client;
  readonly taskQueue: string;
  /** Finds the turns that the next anchor of the branch will leave out; undefined: its window is not full enough. */
  readonly outgrowing: (leafTurnId: string) => Promise<CompactInput | undefined>;
}

/** A summary that took longer would come too late. */
const MAX_RUN_MS = 60 * 60_000;

/**
 * Starts the compaction of a branch when the turn has filled most of its window. Never rejects: without the summary a
 * line says what prompts leave out.
 */
export type StartCompaction = (leafTurnId: string) => Promise<void>;

/** Starts compactions over Temporal, each once: a second start of the same is refused. */
export const createStartCompaction =
  ({ client, taskQueue, outgrowing }: StartCompactionDeps, log: Pick<Log, 'warn'>): StartCompaction =>
  async (leafTurnId) => {
    try {
      const input = await outgrowing(leafTurnId);
      if (input === undefined) return;
      await callInTime(client, () =>
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
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      log.warn({ err: error, turnId: leafTurnId }, 'earlier turns are not summarised');
    }
  };
