import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { writeSessionWorkflowId } from '../contracts/write-session.ts';
import { cancelSessionSignal } from '../temporal/write-session-messages.ts';
import { patiently } from './patience.ts';
import { reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';
import type { CancelOutcome } from './write-sessions.ts';

/** As for a finalize: each try starts or closes what was found half-started or ended from outside. */
const MAX_TRIES = 3;

/** Resolves when the row has ended, by this cancel or by what came before it. */
export const cancelSession = async (deps: SessionDeps, sessionId: string): Promise<CancelOutcome> => {
  for (let attempt = 0; ; attempt += 1) {
    const row = await deps.repository.find(sessionId);
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') {
      const byUs = attempt > 0 && row.stage === 'cancelled';
      return byUs ? { kind: 'cancelled' } : { kind: 'ended', stage: row.stage };
    }
    if (attempt === MAX_TRIES) throw new Error(`write session ${sessionId} cannot be cancelled`);
    if (!(await endWorkflow(deps, sessionId))) await reconcileSession(deps, row);
  }
};

/** Signals, and waits until the workflow has ended, Canceled or otherwise; false when it was gone before. */
const endWorkflow = async ({ client }: SessionDeps, sessionId: string): Promise<boolean> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await patiently(client, () => handle.signal(cancelSessionSignal));
    await patiently(client, () => handle.result());
    return true;
  } catch (error) {
    // The row says how; that of one that was terminated instead is found open, and its workflow gone.
    if (error instanceof WorkflowFailedError) return true;
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
