import { turnWorkflowId, writeSessionWorkflowId } from '../contracts/values/workflow-ids.ts';
import type { FinalizeRequest, FinalizeOutcome } from '../contracts/write-session/session-messages.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import { callUntilAnswered } from '../temporal/call-until-answered.ts';
import { isWorkflowGone } from '../temporal/workflow-gone.ts';
import { clientFinalizeFailedSignal, finalizeUpdate } from '../temporal/write-session-messages.ts';
import { MAX_SESSION_TRIES, reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';

/** A finalize of a session as a caller sends it, with the session's row if the caller has read it. */
export interface FinalizeCall {
  readonly sessionId: string;
  readonly request: FinalizeRequest;
  /** Id of the update. A repeat with the same id is the same update. */
  readonly updateId: string;
  /** The session as the caller has found it: it is not looked up again unless its workflow is gone. */
  readonly found?: WriteSessionRow;
}

/**
 * Commits by an update of the workflow. Once the session has ended, the outcome comes from its row. If it was
 * committed, a finalize of the same content, or of no given content, gets its outcome again. Any other finalize gets
 * `ended` (docs/write-sessions.md).
 */
export const finalizeSession = async (
  deps: SessionDeps,
  call: FinalizeCall,
): Promise<FinalizeOutcome | { readonly kind: 'not_found' }> => {
  let row = call.found ?? (await deps.repository.find(call.sessionId));
  for (let attempt = 1; ; attempt += 1) {
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') return outcomeFromRow(row, call.request);
    try {
      const outcome = await finalizeByUpdate(deps, call);
      if (outcome.kind === 'failed') await signalTurn(deps, row);
      return outcome;
    } catch (error) {
      if (!isWorkflowGone(error) || attempt === MAX_SESSION_TRIES) throw error;
    }
    row = await findReconciled(deps, call.sessionId);
  }
};

/** Reconciles a session with its workflow and returns its row. Returns undefined for an unknown session. */
const findReconciled = async (deps: SessionDeps, sessionId: string): Promise<WriteSessionRow | undefined> => {
  const row = await deps.repository.find(sessionId);
  if (!row || row.state === 'ended') return row;
  return (await reconcileSession(deps, row)) === 'open' ? row : deps.repository.find(sessionId);
};

const finalizeByUpdate = (
  { client }: SessionDeps,
  { sessionId, request, updateId }: FinalizeCall,
): Promise<FinalizeOutcome> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  // With the same id, each repetition is the same update.
  return callUntilAnswered(client, () => handle.executeUpdate(finalizeUpdate, { args: [request], updateId }));
};

/**
 * Tells the session's turn that a finalize has failed. A turn that lets its client finalize first waits for the client.
 * If this signal is lost, the turn waits until its time is over.
 */
const signalTurn = async ({ client }: SessionDeps, { turnId, sessionId }: WriteSessionRow): Promise<void> => {
  if (turnId === null) return;
  const turn = client.workflow.getHandle(turnWorkflowId(turnId));
  await turn.signal(clientFinalizeFailedSignal, sessionId).catch(() => undefined);
};

const outcomeFromRow = (
  { stage, outcome }: WriteSessionRow,
  { content }: FinalizeRequest,
): FinalizeOutcome => {
  if (outcome?.kind !== 'committed' || stage !== 'committed') return { kind: 'ended', stage };
  if (content !== undefined && content.sha256 !== outcome.content.sha256) return { kind: 'ended', stage };
  return outcome;
};
