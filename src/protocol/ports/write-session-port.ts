import type { ToolCall, ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import type {
  CommitApproval,
  CommitOutcome,
  SessionEnded,
} from '../../contracts/write-session/session-messages.ts';
import type { ContentRef, ReplacedText } from '../../contracts/write-session/write-session.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import type { WrittenPhase } from '../../write-session/session-text.ts';

/** A write session that a call of this turn has begun. */
export interface BegunSession {
  readonly sessionId: string;
  /** The path as the call gave it. */
  readonly target: string;
  /** The call that has begun the session. Present only if the commit needs an approval. */
  readonly beginCall?: { readonly call: ToolCall; readonly declaration: ToolDeclaration };
}

/** One action phase of a write session, and the place of its text. */
export interface SessionPhase extends WrittenPhase {
  /** The number of the model call in the turn: 1, 2, … */
  readonly step: number;
  /**
   * Number of characters of the call's text before the content. They are the line breaks by which the turn separates
   * its answers.
   */
  readonly skip: number;
}

/** Everything that was written in a session so far. */
export interface WrittenSession {
  readonly session: BegunSession;
  /** The phases whose texts, joined by `readContent`, are the content. */
  readonly phases: readonly SessionPhase[];
  readonly content: ContentRef;
  /**
   * True when the content is to be committed: the model has marked its end, and the commit is allowed or needs no
   * approval.
   */
  readonly isComplete: boolean;
  /** The reply that allows the commit. Absent if the commit needs none. */
  readonly approval?: CommitApproval;
}

/**
 * The result of keeping a session's content.
 *
 * - `kept`: the content is the session's draft, and nothing is committed.
 * - `committed`: the content is in the target.
 * - `failed`: nothing is known to be written, and `reason` is for the model and the user. If it begins with
 *   `OUTCOME_UNKNOWN`, the commit may have taken effect, otherwise the target is untouched. With the code
 *   `validation_failed`, the session may take other content.
 */
export type KeepOutcome = { readonly kind: 'kept' } | CommitOutcome;

/** Returns the outcome for a turn that keeps the content of a session which has ended without it. */
export const outcomeOfEnded = ({ end, content }: SessionEnded): CommitOutcome =>
  end === 'committed' && content !== undefined
    ? { kind: 'committed', content }
    : { kind: 'failed', code: 'write_failed', reason: WRITE_SESSION_TEXTS.sessionNotFound };

/**
 * Write sessions as the protocol core needs them. Production: `workflows/turn/activity-backed-write-sessions.ts`.
 * Without this port the core still reads the content and makes its events, but nothing is kept or written.
 */
export interface WriteSessionPort {
  /** Keeps what was written, and commits it if it is complete. Expected failures are outcomes. */
  keep(written: WrittenSession): Promise<KeepOutcome>;
  /**
   * Ends a session that needed an approval and was not committed: only its turn could have committed it. Returns the
   * outcome if the session had ended before, otherwise undefined. Never throws.
   */
  withdraw(session: BegunSession): Promise<KeepOutcome | undefined>;
  /** Notes that the turn is done with a session: these characters of `fullContent` were its content. Never throws. */
  noteReplaced(replaced: ReplacedText): void;
}
