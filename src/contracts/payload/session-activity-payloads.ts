import type { CommitApproval, CommitOutcome, SessionEnded } from '../write-session/session-messages.ts';
import type { ContentRef, SessionEnd } from '../write-session/write-session.ts';
import type { TurnRef } from './turn-activity-payloads.ts';

/** One action phase of a write session, and where its text is found. */
interface KeptPhase {
  readonly end: 'ended' | 'length' | 'cut';
  /** Characters before the content. */
  readonly skip: number;
  readonly source:
    /** The segment that the model call has stored under this epoch. */
    | { readonly epoch: number }
    /** The call was lost; what the workflow holds of its text stands in no segment yet. */
    | { readonly text: string };
}

/** Input of `keepWriteSession`: the file's text itself does not enter the history a second time. */
export interface KeepWriteSessionInput extends TurnRef {
  readonly sessionId: string;
  readonly phases: KeptPhase[];
  /** The content that the workflow knows; other content is never committed. */
  readonly content: ContentRef;
  /** Whether the content is committed; else it becomes the session's draft, and nothing more. */
  readonly commit: boolean;
  /** The approval of a session that needs one. */
  readonly approval?: CommitApproval;
}

/** The plan of a commit; stored in the row before the target is touched. */
export interface CommitPlan {
  /** The target before: hash and size, null when there was no file. Its bytes are kept in the content store. */
  readonly before: { readonly sha256: string; readonly bytes: number } | null;
  /** The whole target after the commit; differs from `content` when appending. */
  readonly after: { readonly sha256: string; readonly bytes: number };
  readonly content: ContentRef;
}

/** Input of `commitWrite`: the activity finds the session's plan in its row. */
export interface CommitWriteInput {
  readonly sessionId: string;
  readonly firstExecutionRunId: string;
  /** The content that is committed; absent: the draft file. */
  readonly content?: ContentRef;
  /** The reply that lets it run, and what the target held when it was given. */
  readonly approval?: CommitApproval;
}

/** Result of `commitWrite`. After a commit the row has ended: so it stands there, and nothing is left to close. */
export type CommitWriteResult = CommitOutcome & { readonly ended?: SessionEnded };

/** Input of `closeWriteSession`: writes the end into the row; answers the end that stands (the first wins). */
export interface CloseWriteSessionInput {
  readonly sessionId: string;
  readonly firstExecutionRunId: string;
  readonly end: SessionEnd;
}
