import {
  QueryRejectedError,
  WorkflowClient,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { turnWorkflowId } from '../contracts/ids.ts';
import {
  writeSessionWorkflowId,
  type FinalizeRequest,
  type SessionStage,
  type SessionTouch,
} from '../contracts/write-session.ts';
import type { FinalizeOutcome, SessionStatus } from '../contracts/payload/session-workflow.ts';
import type { WriteSessionRow } from '../db/write-session-row.ts';
import { askWorker } from '../temporal/ask-worker.ts';
import { isTemporalUnavailable, WorkersMissingError } from '../temporal/temporal-unavailable.ts';
import {
  cancelSessionSignal,
  clientFinalizeFailedSignal,
  finalizeUpdate,
  sessionStatusQuery,
  touchSignal,
} from '../temporal/write-session-messages.ts';
import { reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';

/*
 * What is asked of a session's workflow while that is open, and of its row afterwards.
 */

/** The session was found half-started or ended from outside this often in a row: it will not be better. */
const MAX_TRIES = 3;
/** An answer to the client is due within 2 s. */
const ANSWER_MS = 1_600;
/** An outage is told within twice this. */
const SLICE_MS = 1_000;
/** A commit of 10 MB on a busy machine is well within it; without a worker nobody ever answers. */
const LONGEST_MS = 15_000;

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
    row = await reconciled(deps, call.sessionId);
  }
};

/** The row, once it and its workflow agree. */
const reconciled = async (deps: SessionDeps, sessionId: string): Promise<WriteSessionRow | undefined> => {
  const row = await deps.repository.find(sessionId);
  if (!row || row.state === 'ended') return row;
  return (await reconcileSession(deps, row)) === 'open' ? row : deps.repository.find(sessionId);
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

/** `ended`: it had ended before, or was committed while the cancel was under way. */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  | { readonly kind: 'not_found' };

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

/** False when the session has ended, and has no use for it. */
export const touchSession = async (
  { client }: SessionDeps,
  sessionId: string,
  touch: SessionTouch,
): Promise<boolean> => {
  const handle = client.workflow.getHandle(writeSessionWorkflowId(sessionId));
  try {
    await client.withDeadline(Date.now() + ANSWER_MS, () => handle.signal(touchSignal, touch));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};

/** `status` only while the session is open. */
export interface SessionView {
  readonly row: WriteSessionRow;
  readonly status?: SessionStatus;
}

/** The row, with what the workflow says while that is open. */
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

/** Undefined when the workflow is not open: what a terminated one still answers is not so any more. */
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
    return await askWorker(client, ANSWER_MS, () =>
      open.getHandle(writeSessionWorkflowId(sessionId)).query(sessionStatusQuery),
    );
  } catch (error) {
    if (error instanceof QueryRejectedError || error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
};

/**
 * Waits for what the server answers late: `work` is a call that may be repeated. A slow answer and a server that is
 * away both end in a deadline; only a server that answers another question is waited for. Throws what
 * `isTemporalUnavailable` knows.
 */
const patiently = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  const until = Date.now() + LONGEST_MS;
  for (;;) {
    try {
      return await client.withDeadline(Date.now() + SLICE_MS, work);
    } catch (error) {
      if (!isTemporalUnavailable(error)) throw error;
      await client.withDeadline(Date.now() + SLICE_MS, () => client.workflowService.getSystemInfo({}));
      if (Date.now() >= until) throw new WorkersMissingError(error);
    }
  }
};
