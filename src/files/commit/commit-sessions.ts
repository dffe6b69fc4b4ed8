import type { CommitPlan } from '../../contracts/payload/session-activity-payloads.ts';
import type {
  ContentRef,
  SessionStage,
  WriteOperation,
} from '../../contracts/write-session/write-session.ts';
import type { CommitOutcome, CommitFailure } from '../../contracts/write-session/session-messages.ts';

/** A write session as a commit needs it: where it writes, what, and who may act for it. */
export interface CommitSession {
  readonly sessionId: string;
  readonly projectId: string;
  readonly targetFile: string;
  /** The target that the session locks; see `Workspace.targetKey`. */
  readonly targetKey: string;
  readonly operation: WriteOperation;
  readonly fence: number;
  readonly state: 'open' | 'closing' | 'ended';
  readonly stage: SessionStage;
  readonly plan: CommitPlan | null;
  readonly outcome: CommitOutcome | null;
  readonly endedAt: Date | null;
  /** Time at which an undo was finished. Null also after one that died before it could note that. */
  readonly undoneAt: Date | null;
}

/** Tells if the row says that the target holds the session's content. */
export const isCommitted = ({ state, stage }: CommitSession): boolean =>
  state === 'ended' && stage === 'committed';

/** The rows of write sessions, as far as commits go. Production: `WriteSessionRepository`. */
export interface CommitSessions {
  find(sessionId: string): Promise<CommitSession | undefined>;
  /**
   * Begins an attempt by raising the fence by 1, in one statement. Returns undefined unless the session is open and
   * belongs to this run.
   */
  beginAttempt(sessionId: string, runId: string): Promise<CommitSession | undefined>;
  /**
   * Stores what an attempt is about to do; returns undefined when the session is no longer open or a later attempt has
   * begun.
   */
  storePlan(sessionId: string, fence: number, plan: CommitPlan): Promise<CommitSession | undefined>;
  /** Stores why the attempt has failed, and removes its plan. */
  failAttempt(sessionId: string, fence: number, failure: CommitFailure): Promise<CommitSession | undefined>;
  /** Ends the session of an attempt that has written, in one statement. */
  endCommitted(sessionId: string, fence: number, content: ContentRef): Promise<CommitSession | undefined>;
  /**
   * Runs `work` while no session has the target and none can begin on it. Returns undefined when one has it.
   * `assertLockHeld` rejects once this is no longer certain, and must be called before each change.
   */
  withFreeTarget<T>(
    targetKey: string,
    work: (assertLockHeld: () => Promise<void>) => Promise<T>,
  ): Promise<T | undefined>;
  /** Notes that a commit was undone; returns undefined when it was undone before. */
  markUndone(sessionId: string): Promise<CommitSession | undefined>;
}
