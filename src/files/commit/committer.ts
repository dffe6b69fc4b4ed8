import type {
  CommitWriteInput,
  CommitWriteResult,
} from '../../contracts/payload/session-activity-payloads.ts';
import type { CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import { withWorkspaceErrors, WorkspaceError } from '../workspace/workspace-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { attemptCommit, targetChangedError, endEarlierAttempts } from './commit-attempt.ts';
import {
  CommitRefusedError,
  CommitSupersededError,
  commitFailureOf,
  targetMovedError,
} from './commit-failure.ts';
import { isCommitted, type CommitSession, type CommitSessions } from './commit-sessions.ts';
import { contentLostError } from './content-parts.ts';
import { undoCommit, type UndoOutcome } from './undo.ts';

/**
 * Brings the content of write sessions into the workspace, that of each session at most once (docs/write-sessions.md).
 */
export interface Committer {
  /**
   * Makes one attempt, which ends the session when the content is in the target. `ended` is set only if this attempt
   * has ended the session.
   *
   * - Failures that the caller must learn are outcomes. This attempt has then not touched the target.
   * - It rejects with CommitSupersededError when the session is not open, belongs to another workflow or has a later
   *   attempt. If the session has ended with a commit, it resolves with the outcome of that commit instead.
   * - It rejects with the signal's reason, and when the database cannot be reached. Attempt it again after either.
   */
  commit(input: CommitWriteInput, signal: AbortSignal): Promise<CommitWriteResult>;
  /**
   * Ends all attempts of a session whose row is `closing`, and returns whether one of them has committed. Attempts that
   * still run, or sleep, can no longer touch the target afterwards. A target that is out of reach for good counts as
   * not committed. Rejects when the target or the database cannot be reached at the moment.
   */
  endAttempts(sessionId: string): Promise<'committed' | 'not_committed'>;
  /**
   * Removes draft and contents of a session that has ended. Never rejects: what cannot be removed is left to the
   * pruning.
   */
  forget(sessionId: string): Promise<void>;
  /**
   * Takes a commit back, up to 7 days after it. Rejects when the database cannot be reached, or when the undo cannot be
   * made durable. The same call then finishes it later. Other failures are refusals, after which the target is as it
   * was.
   */
  undo(sessionId: string): Promise<UndoOutcome>;
}

export interface CommitterDeps {
  readonly workspace: Workspace;
  readonly contents: ContentStore;
  readonly sessions: CommitSessions;
}

/** Creates a committer over a workspace, a content store and the rows of sessions, which hold all of its state. */
export const createCommitter = (deps: CommitterDeps): Committer => ({
  commit: (input, signal) => commit(deps, input, signal),
  endAttempts: (sessionId) => endAttempts(deps, sessionId),
  forget: (sessionId) => forget(deps.contents, sessionId),
  undo: (sessionId) => undoCommit(deps, sessionId, new Date()),
});

const commit = async (
  deps: CommitterDeps,
  input: CommitWriteInput,
  signal: AbortSignal,
): Promise<CommitWriteResult> => {
  const { sessionId, firstExecutionRunId } = input;
  const session = await deps.sessions.beginAttempt(sessionId, firstExecutionRunId);
  if (session === undefined) return loadCommittedResult(deps, sessionId);
  const outcome = await failuresAsOutcomes(() => commitOnce(deps, { input, session, signal }));
  if (outcome.kind === 'committed') return endCommitted(deps, session, outcome);
  if (!(await deps.sessions.failAttempt(sessionId, session.attempt, outcome))) {
    throw new CommitSupersededError(sessionId);
  }
  return outcome;
};

/**
 * Returns the outcome of a commit that has ended the session, since its attempt may have died before it could report
 * that. Throws CommitSupersededError if there is none.
 */
const loadCommittedResult = async (
  { sessions }: CommitterDeps,
  sessionId: string,
): Promise<CommitWriteResult> => {
  const session = await sessions.find(sessionId);
  if (session === undefined || !isCommitted(session) || session.outcome?.kind !== 'committed') {
    throw new CommitSupersededError(sessionId);
  }
  return session.outcome;
};

const endCommitted = async (
  { sessions, contents }: CommitterDeps,
  { sessionId, attempt }: CommitSession,
  outcome: Committed,
): Promise<CommitWriteResult> => {
  const { content } = outcome;
  // A commit stays valid, whoever has taken over since then: the process that closes the session sees it in the target.
  if (!(await sessions.endCommitted(sessionId, attempt, content))) return outcome;
  await forget(contents, sessionId);
  return { ...outcome, ended: { sessionId, end: 'committed', content } };
};

type Committed = Extract<CommitOutcome, { kind: 'committed' }>;

const forget = (contents: ContentStore, sessionId: string): Promise<void> =>
  contents.forget(sessionId).catch(() => undefined);

interface CommitRun {
  readonly input: CommitWriteInput;
  readonly session: CommitSession;
  readonly signal: AbortSignal;
}

const commitOnce = async (
  deps: CommitterDeps,
  { input, session, signal }: CommitRun,
): Promise<CommitOutcome> => {
  const { sessionId, projectId, targetFile, operation, plan, attempt, outcome } = session;
  // A worker of an earlier version stored the outcome, removed the content, and left the session open.
  if (outcome?.kind === 'committed') return outcome;
  const earlier = await endEarlierAttempts(deps.workspace, session, attempt - 1);
  if (plan !== null && earlier === 'done') return { kind: 'committed', content: plan.content };
  if (earlier === 'changed') throw targetChangedError(targetFile, input.approval);
  const content = await withWorkspaceErrors(targetFile, () =>
    resolveContent(deps.contents, sessionId, input.content, signal),
  );
  const makesDirectories = operation !== 'append';
  return deps.workspace.withEntry(projectId, targetFile, { makesDirectories }, (entry, key) => {
    if (key !== session.targetKey) throw targetMovedError(targetFile);
    return attemptCommit(deps, { session, content, approval: input.approval, signal }, entry);
  });
};

/**
 * Returns the content of a commit: the named content, or the session's draft, which it seals. Throws CommitRefusedError
 * if there is neither, or if the draft is refused.
 */
const resolveContent = async (
  contents: ContentStore,
  sessionId: string,
  named: ContentRef | undefined,
  signal: AbortSignal,
): Promise<ContentRef> => {
  if (named !== undefined) {
    if (!(await contents.has(sessionId, named.sha256))) throw contentLostError(named);
    return named;
  }
  const sealOutcome = await contents.drafts.seal(sessionId, signal);
  switch (sealOutcome.kind) {
    case 'stored':
      return sealOutcome.content;
    case 'none':
      throw new CommitRefusedError(
        'validation_failed',
        'content: expected some, or a draft, received neither',
      );
    case 'blank':
      throw new CommitRefusedError('validation_failed', 'content: expected text, received blanks only');
    case 'invalid_text':
      throw new CommitRefusedError('validation_failed', sealOutcome.reason);
    case 'too_large':
      throw new CommitRefusedError(
        'validation_failed',
        'content: expected less, received more than the limit',
      );
    default:
      return sealOutcome satisfies never;
  }
};

const failuresAsOutcomes = async (work: () => Promise<CommitOutcome>): Promise<CommitOutcome> => {
  try {
    return await work();
  } catch (error) {
    const failure = commitFailureOf(error);
    if (failure === undefined) throw error;
    return failure;
  }
};

const endAttempts = async (
  deps: CommitterDeps,
  sessionId: string,
): Promise<'committed' | 'not_committed'> => {
  const session = await deps.sessions.find(sessionId);
  if (session === undefined) return 'not_committed';
  try {
    const earlier = await endEarlierAttempts(deps.workspace, session, session.attempt);
    return earlier === 'done' ? 'committed' : 'not_committed';
  } catch (error) {
    // A target that cannot be reached counts as not committed. If it may be reachable in a moment, the caller tries
    // again.
    if (commitFailureOf(error) === undefined || (error instanceof WorkspaceError && error.isTransient)) {
      throw error;
    }
    return 'not_committed';
  }
};
