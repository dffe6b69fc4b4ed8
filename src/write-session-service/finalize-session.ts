import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { turnWorkflowId } from '../contracts/ids.ts';
import { writeSessionWorkflowId } from '../contracts/write-session.ts';
import type { FinalizeOutcome, FinalizeRequest } from '../contracts/write-session.ts';
import type { WriteSessionRow } from '../db/write-session-row.ts';
import { clientFinalizeFailedSignal, finalizeUpdate } from '../temporal/write-session-messages.ts';
import { patiently } from './patience.ts';
import { reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';

/** The session was found half-started or ended from outside this often in a row: it will not be better. */
const MAX_TRIES = 3;

/** What there is to finalize. */
export interface FinalizeCall {
  readonly sessionId: string;
  readonly request: FinalizeRequest;
  /** Makes a repeat of the same request the same update. */
  readonly updateId: string;
  /** The session as the caller has found it: it is not looked up again unless its workflow is gone. */
  readonly found?: WriteSessionRow;
}

/**
 * Commits by an update on the workflow. Once the session has ended its row answers: the content it ended with gets
 * the outcome again, anything else `ended` (docs/write-sessions.md).
 */
export const finalizeSession = async (
  deps: SessionDeps,
  call: FinalizeCall,
): Promise<FinalizeOutcome | { readonly kind: 'not_found' }> => {
  let row = call.found ?? (await deps.repository.find(call.sessionId));
  for (let attempt = 1; ; attempt += 1) {
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') return answerOfEnded(row, call.request);
    try {
      const outcome = await update(deps, call);
      if (outcome.kind === 'failed') await tellTurn(deps, row);
      return outcome;
    } catch (error) {
      if (!isGone(error) || attempt === MAX_TRIES) throw error;
    }
    row = await deps.repository.find(call.sessionId);
    if (row && row.state !== 'ended') await reconcileSession(deps, row);
  }
};

const update = (
  { client }: SessionDeps,
  { sessionId, request, updateId }: FinalizeCall,
): Promise<FinalizeOutcome> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  // The id makes each repetition the same update.
  return patiently(client, () => handle.executeUpdate(finalizeUpdate, { args: [request], updateId }));
};

/** A turn that lets its client finalize first waits for it; one that is not told waits its time out. */
const tellTurn = async ({ client }: SessionDeps, { turnId, sessionId }: WriteSessionRow): Promise<void> => {
  if (turnId === null) return;
  const turn = client.workflow.getHandle(turnWorkflowId(turnId));
  await turn.signal(clientFinalizeFailedSignal, sessionId).catch(() => undefined);
};

/** There is no workflow, or it was closed before it answered. */
const isGone = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError;

const answerOfEnded = (
  { stage, outcome }: WriteSessionRow,
  { content }: FinalizeRequest,
): FinalizeOutcome => {
  if (outcome?.kind !== 'committed' || stage !== 'committed') return { kind: 'ended', stage };
  if (content !== undefined && content.sha256 !== outcome.content.sha256) return { kind: 'ended', stage };
  return outcome;
};
