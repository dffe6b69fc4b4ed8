import { Context, log } from '@temporalio/activity';
import type {
  CloseWriteSessionInput,
  CommitWriteInput,
  CommitWriteResult,
} from '../../src/contracts/payload/session-activity-payloads.ts';
import type { SessionEnded, CommitOutcome } from '../../src/contracts/write-session/session-messages.ts';
import { closeSession, sessionEndedOf } from '../../src/write-session-service/close-session.ts';
import type { SessionDeps } from '../../src/write-session-service/session-deps.ts';
import { CommitSupersededError } from '../../src/files/commit/commit-failure.ts';
import type { Committer } from '../../src/files/commit/committer.ts';
import { requireFirstRun } from '../attempt/first-run.ts';
import { withHeartbeat, type HeartbeatDeps } from '../attempt/heartbeat.ts';
import { isInterrupted } from '../attempt/interruption.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import {
  attemptInterruptedFailure,
  closeOrSupersede,
  turnSupersededFailure,
} from '../attempt/activity-failures.ts';
import { UnknownSessionError } from '../../src/db/write-sessions/write-session-repository.ts';

/** The side effects of a write session, as its workflow sees them. */
export interface WriteSessionActivities {
  /**
   * Makes one attempt to write, and ends the row if the file was written. Failures that the caller must learn are
   * outcomes.
   */
  commitWrite(input: CommitWriteInput): Promise<CommitWriteResult>;
  /** Ends the row. Resolves to the end that counts, which may differ from the requested one. */
  closeWriteSession(input: CloseWriteSessionInput): Promise<SessionEnded>;
}

export interface CommitWriteDeps extends HeartbeatDeps, Pick<SessionDeps, 'repository'> {
  readonly committer: SessionDeps['committer'] & Pick<Committer, 'commit'>;
}

/**
 * Creates the activity that makes one attempt to bring a session's content into its target. An attempt finds out what
 * became of the attempts before it, so the target is written at most once, however often Temporal retries. An attempt
 * that may not write fails with `turnSupersededFailure`.
 */
export const createCommitWrite =
  (deps: CommitWriteDeps) =>
  async (input: CommitWriteInput): Promise<CommitWriteResult> => {
    requireFirstRun(input);
    const signal = Context.current().cancellationSignal;
    const commit = () => commitAndClose(deps, input, signal);
    try {
      const outcome = await withHeartbeat(
        deps,
        () => undefined,
        () => withDatabaseRetries(commit, signal),
      );
      log.info('write session commit', { sessionId: input.sessionId, ...logFieldsOf(outcome) });
      return outcome;
    } catch (error) {
      if (error instanceof CommitSupersededError) throw turnSupersededFailure(error.message);
      throw isInterrupted() ? attemptInterruptedFailure() : error;
    }
  };

/**
 * Commits and ends the row in one activity, because a second one would let the client wait 30 ms longer for its file.
 * If another process took over after the write, the row is ended by `closeSession`, as by any other process.
 */
const commitAndClose = async (
  deps: CommitWriteDeps,
  input: CommitWriteInput,
  signal: AbortSignal,
): Promise<CommitWriteResult> => {
  const outcome = await deps.committer.commit(input, signal);
  if (outcome.kind !== 'committed' || outcome.ended) return outcome;
  const { row } = await closeSession(deps, input.sessionId, 'committed');
  return { ...outcome, ended: sessionEndedOf(row) };
};

/** Returns an outcome as logs show it: content with its hash, but never with its text. */
const logFieldsOf = (outcome: CommitOutcome) =>
  outcome.kind === 'committed'
    ? { outcome: outcome.kind, ...outcome.content }
    : { outcome: outcome.kind, code: outcome.code, reason: outcome.reason };

export type CloseWriteSessionDeps = Pick<SessionDeps, 'repository' | 'committer'>;

/** Ends the session's row and returns the end that counts, which another caller may have written first. */
export const createCloseWriteSession =
  (deps: CloseWriteSessionDeps) =>
  async (input: CloseWriteSessionInput): Promise<SessionEnded> => {
    requireFirstRun(input);
    const { isEndedHere, row } = await closeOrSupersede(UnknownSessionError, () =>
      closeSession(deps, input.sessionId, input.end),
    );
    const { sessionId, projectId, targetFile, stage } = row;
    if (isEndedHere) log.info('write session ended', { sessionId, projectId, targetFile, stage });
    return sessionEndedOf(row);
  };
