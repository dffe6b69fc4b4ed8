import { setTimeout as delay } from 'node:timers/promises';
import {
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { turnWorkflowId } from '../contracts/values/ids.ts';
import {
  writeSessionWorkflowId,
  type ContentRef,
  type SessionStage,
} from '../contracts/write-session/write-session.ts';
import type {
  FinalizeRequest,
  SessionHold,
  FinalizeOutcome,
} from '../contracts/write-session/session-messages.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import type { UndoOutcome } from '../files/commit/undo.ts';
import { isWorkerNotReady } from '../temporal/ask-worker.ts';
import { isTemporalUnavailable, WorkersMissingError } from '../temporal/temporal-unavailable.ts';
import {
  cancelSessionSignal,
  clientFinalizeFailedSignal,
  finalizeUpdate,
} from '../temporal/write-session-messages.ts';
import { beginSession, type BeginDeps, type BeginOutcome, type BeginRequest } from './begin-session.ts';
import { reconcileSession } from './reconcile-session.ts';
import type { SessionDeps } from './session-deps.ts';
import { holdSession, touchSession, viewSession, type SessionView } from './session-status.ts';

/** Largest number of tries of a call that finds a session half-started, or ended from outside. */
const MAX_TRIES = 3;
/** Time in milliseconds for one request to Temporal. An outage is reported within twice this time. */
const SLICE_MS = 1_000;
/**
 * Time in milliseconds after which a call is given up although Temporal can be reached. A commit of 10 MB on a busy
 * machine takes much less, and without a worker the workflow never responds.
 */
const MAX_WAIT_MS = 15_000;

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
 * The result of a cancel. `ended` means that the session had ended before, or ended in another way while the cancel was
 * under way.
 */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ended'; readonly stage: SessionStage }
  | { readonly kind: 'not_found' };

/**
 * Write sessions as seen from outside their workflow: gateway, tools and activities (docs/write-sessions.md). While a
 * server that a method needs cannot be reached, the method throws an error that `isTemporalUnavailable` or
 * `isDatabaseUnavailable` recognises.
 */
export interface WriteSessions {
  /** Begins a session, or returns the session that was begun with the same id; see `beginSession`. */
  begin(request: BeginRequest): Promise<BeginOutcome>;
  /** Commits the given content, otherwise the draft. Once the session has ended, the outcome comes from its row. */
  finalize(call: FinalizeCall): Promise<FinalizeOutcome | { readonly kind: 'not_found' }>;
  /** Returns the current state of the session. Returns undefined when there is no such session. */
  status(sessionId: string): Promise<SessionView | undefined>;
  /**
   * Notes activity, so that the session expires later. Returns false, without effect, if the session's workflow has
   * ended or does not exist. `draft` is what a finalize without content commits from now on. Callers send at most one
   * touch per tenth of the timeout, because each is an event of the history.
   */
  touch(sessionId: string, draft?: ContentRef): Promise<boolean>;
  /**
   * Holds a session while a person is asked about its commit, so that it does not expire before `hold.until`. Returns
   * false when the session's workflow has ended or does not exist.
   */
  hold(sessionId: string, hold: SessionHold): Promise<boolean>;
  /** Cancels the session; see `cancelSession`. Resolves when the session has ended, or when there is none. */
  cancel(sessionId: string): Promise<CancelOutcome>;
  /** Gives the target back what it held before the session's commit, as long as nobody has changed it since. */
  undo(sessionId: string): Promise<UndoOutcome>;
}

export interface WriteSessionsDeps extends BeginDeps {
  readonly committer: BeginDeps['committer'] & { undo(sessionId: string): Promise<UndoOutcome> };
}

/** Creates the service of write sessions over Temporal and Postgres. */
export const createWriteSessions = (deps: WriteSessionsDeps): WriteSessions => ({
  begin: (request) => beginSession(deps, request),
  finalize: (call) => finalizeSession(deps, call),
  status: (sessionId) => viewSession(deps, sessionId),
  touch: (sessionId, draft) => touchSession(deps, sessionId, draft === undefined ? {} : { draft }),
  hold: (sessionId, hold) => holdSession(deps, sessionId, hold),
  cancel: (sessionId) => cancelSession(deps, sessionId),
  undo: (sessionId) => deps.committer.undo(sessionId),
});

/**
 * Commits by an update of the workflow. Once the session has ended, the outcome comes from its row. If it was
 * committed, a finalize of the same content, or of no given content, gets its outcome again. Any other finalize gets
 * `ended` (docs/write-sessions.md).
 */
const finalizeSession = async (
  deps: SessionDeps,
  call: FinalizeCall,
): Promise<FinalizeOutcome | { readonly kind: 'not_found' }> => {
  let row = call.found ?? (await deps.repository.find(call.sessionId));
  for (let attempt = 1; ; attempt += 1) {
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') return answerOfEnded(row, call.request);
    try {
      const outcome = await finalizeByUpdate(deps, call);
      if (outcome.kind === 'failed') await signalTurn(deps, row);
      return outcome;
    } catch (error) {
      if (!isGone(error) || attempt === MAX_TRIES) throw error;
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

/**
 * Reports whether an error means that there is no workflow, or that it was closed before it responded. A failed update
 * counts as the latter.
 */
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
    if (attempt === MAX_TRIES) throw new Error(`write session ${sessionId} cannot be cancelled`);
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

/** Milliseconds to wait before a call is repeated for which no worker is ready (`isWorkerNotReady`). */
const READY_PAUSE_MS = 100;

/**
 * Makes a call, which must be safe to repeat, until Temporal responds to it, for about `MAX_WAIT_MS` at most. A slow
 * response and a server that is away both end in a deadline, so the call is repeated only if the server responds to
 * another call. Throws what `work` throws, and errors that `isTemporalUnavailable` recognises.
 */
const callUntilAnswered = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  const until = Date.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await client.withDeadline(Date.now() + SLICE_MS, work);
    } catch (error) {
      if (isWorkerNotReady(error)) await delay(READY_PAUSE_MS);
      else if (!isTemporalUnavailable(error)) throw error;
      await client.withDeadline(Date.now() + SLICE_MS, () => client.workflowService.getSystemInfo({}));
      if (Date.now() >= until) throw new WorkersMissingError(error);
    }
  }
};
