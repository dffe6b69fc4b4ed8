import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import type { SessionStage } from '../contracts/write-session/write-session.ts';
import { writeSessionWorkflowId } from '../contracts/values/workflow-ids.ts';
import { callUntilAnswered } from '../temporal/call-until-answered.ts';
import { cancelSessionSignal } from '../temporal/write-session-messages.ts';
import { MAX_SESSION_TRIES, reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';

/**
 * The result of a cancel. `ended` means that the session had ended before, or ended in another way while the cancel was
 * under way.
 */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  | { readonly kind: 'not_found' };

/**
 * Cancels a session. Resolves when its row has ended, by this cancel or by something before it, and when there is no
 * such session. Rejects while Temporal or Postgres cannot be reached, and if the session is still open after three
 * tries.
 */
export const cancelSession = async (deps: SessionDeps, sessionId: string): Promise<CancelOutcome> => {
  for (let attempt = 0; ; attempt += 1) {
    const row = await deps.repository.find(sessionId);
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') {
      const wasCancelledByUs = attempt > 0 && row.stage === 'cancelled';
      return wasCancelledByUs ? { kind: 'cancelled' } : { kind: 'ended', stage: row.stage };
    }
    if (attempt === MAX_SESSION_TRIES) throw new Error(`write session ${sessionId} cannot be cancelled`);
    if (!(await endWorkflow(deps, sessionId))) await reconcileSession(deps, row);
  }
};

/**
 * Signals the cancel, and waits until the workflow has ended, as Canceled or otherwise. Returns false when the workflow
 * was gone before.
 */
const endWorkflow = async ({ client }: SessionDeps, sessionId: string): Promise<boolean> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await callUntilAnswered(client, () => handle.signal(cancelSessionSignal));
    await callUntilAnswered(client, () => handle.result());
    return true;
  } catch (error) {
    // The row says how the session ended. If the workflow was terminated, the next try finds the row open and the
    // workflow gone.
    if (error instanceof WorkflowFailedError) return true;
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
