import { QueryRejectedError, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { SessionStatus } from '../contracts/write-session/write-session.ts';
import { writeSessionWorkflowId } from '../contracts/values/workflow-ids.ts';
import type { SessionHold, SessionTouch } from '../contracts/write-session/session-messages.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import { askWorker } from '../temporal/ask-worker.ts';
import { callWithDeadline, TEMPORAL_CALL_MS } from '../temporal/call-deadline.ts';
import { holdSignal, sessionStatusQuery, touchSignal } from '../temporal/write-session-messages.ts';
import { reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';

/** The current state of a write session: its row and, while it is open, what its workflow says about it. */
export interface SessionView {
  readonly row: WriteSessionRow;
  readonly status?: SessionStatus;
}

/**
 * Returns the state of a session. If its workflow does not run, the session is reconciled first. Returns undefined for
 * an unknown session.
 */
export const viewSession = async (deps: SessionDeps, sessionId: string): Promise<SessionView | undefined> => {
  const row = await deps.repository.find(sessionId);
  if (!row || row.state === 'ended') return row && { row };
  const status = await queryStatus(deps, sessionId);
  if (status) return { row, status };
  if ((await reconcileSession(deps, row)) === 'open') {
    const later = await queryStatus(deps, sessionId);
    if (later) return { row, status: later };
  }
  return { row: (await deps.repository.find(sessionId)) ?? row };
};

/**
 * Returns the status that the workflow reports. Returns undefined when the workflow is not open, since what a
 * terminated workflow reports is no longer true.
 */
const queryStatus = async (
  { client }: SessionDeps,
  sessionId: string,
): Promise<SessionStatus | undefined> => {
  const open = new WorkflowClient({
    connection: client.connection,
    namespace: client.options.namespace,
    queryRejectCondition: 'NOT_OPEN',
  });
  try {
    return await askWorker(client, TEMPORAL_CALL_MS, () =>
      open.getHandle(writeSessionWorkflowId(sessionId)).query(sessionStatusQuery),
    );
  } catch (error) {
    if (error instanceof QueryRejectedError || error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
};

/**
 * Puts off a session's expiry, and notes its draft if `touch` names one. Returns false when the session's workflow has
 * ended or does not exist.
 */
export const touchSession = async (
  { client }: SessionDeps,
  sessionId: string,
  touch: SessionTouch,
): Promise<boolean> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await callWithDeadline(client, () => handle.signal(touchSignal, touch));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};

/**
 * Holds a session while somebody is asked about its commit. The session does not expire before `hold.until`, and gives
 * back the slot of its owner. Returns false when the session's workflow has ended or does not exist.
 */
export const holdSession = async (
  { client, repository }: SessionDeps,
  sessionId: string,
  hold: SessionHold,
): Promise<boolean> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await callWithDeadline(client, () => handle.signal(holdSignal, hold));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
  await repository.freeSlot(sessionId);
  return true;
};
