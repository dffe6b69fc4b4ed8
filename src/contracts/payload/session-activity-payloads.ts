import type { CommitApproval, CommitOutcome, SessionEnded } from '../write-session/session-messages.ts';
import type { ContentRef, SessionEnd } from '../write-session/write-session.ts';
import type { TurnActivityInput } from './turn-activity-payloads.ts';

/** One action phase of a write session, and where its text is found. */
interface KeptPhase {
  readonly end: 'ended' | 'length' | 'cut';
  /** Number of characters before the content. */
  readonly skip: number;
  readonly source:
    /** The segment that the model call has stored under this epoch. */
    | { readonly epoch: number }
    /** The call was lost; the workflow holds its text, which is in no segment yet. */
    | { readonly text: string };
}

/** Input of `keepWriteSession`: the file's text itself does not enter the history a second time. */
export interface KeepWriteSessionInput extends TurnActivityInput {
  readonly sessionId: string;
  readonly phases: KeptPhase[];
  /** The content as the workflow knows it; no other content is ever committed. */
  readonly content: ContentRef;
  /** True when the content is committed. False when it only becomes the session's draft. */
  readonly commit: boolean;
  /** The approval of a session that needs one. */
  readonly approval?: CommitApproval;
}

/** The plan of a commit; stored in the row before the target is touched. */
export interface CommitPlan {
  /** The target before the commit: hash and size, null when there was no file. The content store keeps its bytes. */
  readonly before: { readonly sha256: string; readonly bytes: number } | null;
  /** The whole target after the commit; for an append it differs from `content`. */
  readonly after: { readonly sha256: string; readonly bytes: number };
  readonly content: ContentRef;
}

/** Input of `commitWrite`: the activity finds the session's plan in its row. */
export interface CommitWriteInput {
  readonly sessionId: string;
  readonly firstExecutionRunId: string;
  /** The content that is committed. Absent means the draft file. */
  readonly content?: ContentRef;
  /** The reply that allows the commit, and what the target held when it was given. */
  readonly approval?: CommitApproval;
}

/** Result of `commitWrite`. After a commit the row has ended, with `ended`, and nothing is left to close. */
export type CommitWriteResult = CommitOutcome & { readonly ended?: SessionEnded };

/** Input of `closeWriteSession`, which writes the end into the row and returns the end that counts (the first one). */
export interface CloseWriteSessionInput {
  readonly sessionId: string;
  readonly firstExecutionRunId: string;
  readonly end: SessionEnd;
}
