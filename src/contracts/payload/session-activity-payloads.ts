import type { CommitApproval, CommitOutcome, SessionEnded } from '../write-session/session-messages.ts';
import type { ContentRef, SessionEnd } from '../write-session/write-session.ts';
import type { TurnActivityInput } from './turn-activity-payloads.ts';

/** One action phase of a write session, and where its text is found. */
interface PhaseToKeep {
  readonly end: 'ended' | 'length' | 'cut';
  /** Number of characters before the content. */
  readonly skip: number;
  readonly source:
    /** The segment that the model call has stored under this epoch. */
    | { readonly epoch: number }
    /** The text of a call that was lost. Only the workflow has this text, because it is in no segment yet. */
    | { readonly text: string };
}

/**
 * Input of `keepWriteSession`, which stores what was written in a session. It names the places of the text, so that the
 * text itself does not enter the history a second time.
 */
export interface KeepWriteSessionInput extends TurnActivityInput {
  readonly sessionId: string;
  readonly phases: PhaseToKeep[];
  /** The content as the workflow computed it. A text with another hash is never committed. */
  readonly content: ContentRef;
  /** True when the content is committed. False when it only becomes the session's draft. */
  readonly commit: boolean;
  /** The approval of a session that needs one. */
  readonly approval?: CommitApproval;
}

/** The plan of a commit. It is stored in the session's row before the target is touched. */
export interface CommitPlan {
  /** Hash and size of the target before the commit, whose bytes the content store keeps. Null if there was no file. */
  readonly before: { readonly sha256: string; readonly bytes: number } | null;
  /** Hash and size of the whole target after the commit. After an append they differ from those of `content`. */
  readonly after: { readonly sha256: string; readonly bytes: number };
  readonly content: ContentRef;
}

/** Input of `commitWrite`. Everything else about the session is in its row. */
export interface CommitWriteInput {
  readonly sessionId: string;
  readonly firstExecutionRunId: string;
  /** The content that is committed. Absent means the draft file. */
  readonly content?: ContentRef;
  /** The reply that allows the commit, and what the target contained when the person was asked. */
  readonly approval?: CommitApproval;
}

/**
 * Result of `commitWrite`. A commit that succeeds also ends the session's row. `ended` is the end that the row then
 * has, and the workflow does not call `closeWriteSession`.
 */
export type CommitWriteResult = CommitOutcome & { readonly ended?: SessionEnded };

/** Input of `closeWriteSession`, which writes the end into the row and returns the end that counts (the first one). */
export interface CloseWriteSessionInput {
  readonly sessionId: string;
  readonly firstExecutionRunId: string;
  readonly end: SessionEnd;
}
