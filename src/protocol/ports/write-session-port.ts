import type { ToolCall, ToolDeclaration } from '../../contracts/tools/tool-call.ts';
import type { CommitApproval, CommitOutcome } from '../../contracts/write-session/session-messages.ts';
import type { ContentRef, ReplacedText } from '../../contracts/write-session/write-session.ts';
import type { WrittenPhase } from '../../write-session/session-text.ts';

/** A write session that a call of this turn has begun. */
export interface BegunSession {
  readonly sessionId: string;
  /** Path as it was asked for. */
  readonly target: string;
  /** The call that has begun it, where somebody is asked before its commit. */
  readonly askedAs?: { readonly call: ToolCall; readonly declaration: ToolDeclaration };
}

/** One action phase of a write session, and where its text stands. */
export interface SessionPhase extends WrittenPhase {
  /** 1, 2, …: number of the model call in the turn. */
  readonly step: number;
  /** Characters of the call's text before the content: the turn's own line breaks. */
  readonly skip: number;
}

/** All that was written in a session so far. */
export interface WrittenSession {
  readonly session: BegunSession;
  /** `readContent` of these is the content. */
  readonly phases: readonly SessionPhase[];
  readonly content: ContentRef;
  /** The model has marked the end: the content is to be committed. */
  readonly isComplete: boolean;
  /** The reply that lets it be committed, where one is needed. */
  readonly approval?: CommitApproval;
}

/**
 * `kept`: it is the session's draft, nothing is committed. `failed`: the target is untouched, and the reason is for
 * model and user; `validation_failed`: other content may do.
 */
export type KeepOutcome = { readonly kind: 'kept' } | CommitOutcome;

/**
 * Write sessions as the protocol core needs them. Production: `workflows/turn/activity-backed-write-sessions.ts`.
 * Without this port the core reads the content all the same, and its events are all that is told of it.
 */
export interface WriteSessionPort {
  /** Keeps what was written, and commits it if it is complete. Expected failures are outcomes. */
  keep(written: WrittenSession): Promise<KeepOutcome>;
  /**
   * Ends a session that somebody would have had to allow: nobody else can commit it. Answers how it ended, if it had
   * before. Never throws.
   */
  withdraw(session: BegunSession): Promise<KeepOutcome | undefined>;
  /** The turn is through with a session: these characters of `fullContent` were its content. Never throws. */
  leave(replaced: ReplacedText): void;
}
