import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type {
  ContentRef,
  SessionStage,
  WriteOperation,
} from '../../contracts/write-session/write-session.ts';
import type { CommitOutcome, CommitFailure } from '../../contracts/write-session/session-messages.ts';

/** A write session as a commit needs it: its target, its newest attempt with its plan, and how it has ended. */
export interface CommitSession {
  readonly sessionId: string;
  readonly projectId: string;
  readonly targetFile: string;
  /** The target that the session locks; see `Workspace.resolveTargetKey`. */
  readonly targetKey: string;
  readonly operation: WriteOperation;
  /** Number of the newest attempt, 0 before the first. */
  readonly attempt: number;
  readonly state: 'open' | 'closing' | 'ended';
  readonly stage: SessionStage;
  /**
   * What the last attempt that stored a plan was about to do. Null if none has, or if that attempt is known to have
   * failed.
   */
  readonly plan: CommitPlan | null;
  readonly outcome: CommitOutcome | null;
  readonly endedAt: Date | null;
  /**
   * Time at which an undo was finished. Null if there was none, or if the undo died before it could note that it was
   * done.
   */
  readonly undoneAt: Date | null;
}

/** Reports whether the session has ended with a commit, which may have been undone since. */
export const isCommitted = ({ state, stage }: CommitSession): boolean =>
  state === 'ended' && stage === 'committed';

/**
 * The rows of write sessions, as far as commits need them. In production they are those of `WriteSessionRepository`.
 */
export interface CommitSessions {
  /** Reads a session. Returns undefined for an unknown session. */
  find(sessionId: string): Promise<CommitSession | undefined>;
  /**
   * Begins an attempt with the next number, in one statement. Returns undefined unless the session is open and belongs
   * to the workflow whose first run is `runId`. The attempt must then not touch the target.
   */
  beginAttempt(sessionId: string, runId: string): Promise<CommitSession | undefined>;
  /**
   * Stores what an attempt is about to do. Returns undefined, and stores nothing, when the session is no longer open or
   * a later attempt has begun.
   */
  storePlan(sessionId: string, attempt: number, plan: CommitPlan): Promise<CommitSession | undefined>;
  /** Stores why the attempt has failed, and removes its plan. Returns undefined as `storePlan` does. */
  failAttempt(sessionId: string, attempt: number, failure: CommitFailure): Promise<CommitSession | undefined>;
  /**
   * Ends the session of an attempt whose content is in the target, in one statement. Returns undefined as `storePlan`
   * does.
   */
  endCommitted(sessionId: string, attempt: number, content: ContentRef): Promise<CommitSession | undefined>;
  /**
   * Runs `work` while nothing else may write the target: no session has it, none can begin on it, and no tool is about
   * to write it. Returns undefined, without running `work`, if the target is not free. `assertLockHeld` rejects once
   * the lock may have been lost, and must be called before each change.
   */
  withFreeTarget<T>(
    targetKey: string,
    work: (assertLockHeld: () => Promise<void>) => Promise<T>,
  ): Promise<T | undefined>;
  /** Notes that a commit was undone. Returns undefined when that was noted before, or when there was no commit. */
  markUndone(sessionId: string): Promise<CommitSession | undefined>;
}
