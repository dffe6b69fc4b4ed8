import { isOutcomeUnknown } from '../../contracts/tools/tool-call.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { mayHaveWrittenLine, notWrittenLine, writtenLine } from '../../write-session/replaced-text.ts';
import type { SessionContent } from '../../write-session/session-text.ts';
import type { BegunSession, KeepOutcome } from '../ports/write-session-port.ts';
import type { CommitDecision } from './commit-decision.ts';
import type { NoticeText } from './notices.ts';
import {
  commitDeniedNotice,
  commitFailedNotice,
  committedMessage,
  commitUnknownNotice,
  unfinishedNotice,
} from './write-session-notices.ts';

/** The result of keeping a session's text: the outcome of the port, or that the commit was not allowed. */
export type KeepOrDenial = KeepOutcome | Extract<CommitDecision, { kind: 'denied' }>;

/** The content of a session so far, with its size and hash. */
export interface MeasuredContent extends SessionContent {
  readonly contentRef: ContentRef;
}

/** The last event of a session in its turn. */
interface EndEvent {
  readonly stage: Extract<TurnEvent, { type: 'write_session' }>['stage'];
  readonly content: ContentRef;
  readonly error?: string;
}

/** The end of a write session for its turn: what readers, the user, the model and later prompts are told about it. */
export interface WriteSessionEnd {
  /** The line that prompts hold from now on in the place of the session's text. */
  readonly line: string;
  /** Undefined if nothing was written because the turn has no port for write sessions. */
  readonly event: EndEvent | undefined;
  /**
   * The notice of a file that was not written, or may not have been written. Undefined if the user, who has cancelled
   * the turn, needs none.
   */
  readonly notice?: NoticeText | undefined;
  /** The message that tells the model, and not the user, that its file is written. */
  readonly message?: string;
}

/**
 * Returns the end of a session with the text `content`. `outcome` is the result of keeping that text. It is undefined
 * if the turn has no port for write sessions, or if there was nothing to keep. In a turn that was cancelled
 * (`isCancelled`), only a commit that failed, or may have failed, gets a notice.
 */
export const writeSessionEnd = (
  session: BegunSession,
  content: MeasuredContent,
  outcome: KeepOrDenial | undefined,
  { isCancelled }: { readonly isCancelled: boolean },
): WriteSessionEnd => {
  const { end, contentRef } = content;
  switch (outcome?.kind) {
    case 'committed':
      return writtenEnd(session, outcome.content, { stage: 'committed', content: outcome.content });
    case 'failed':
      return failedEnd(session, contentRef, outcome.reason);
    case 'denied':
      return {
        line: notWrittenLine(session.target, contentRef),
        event: { stage: 'failed', content: contentRef, error: outcome.reason },
        notice: isCancelled ? undefined : commitDeniedNotice(session, outcome.reason),
      };
    case 'kept':
    case undefined:
      if (outcome === undefined && end === 'complete') return writtenEnd(session, contentRef, undefined);
      return {
        line: notWrittenLine(session.target, contentRef),
        event: { stage: 'open', content: contentRef },
        notice: isCancelled ? undefined : unfinishedNotice(session, contentRef),
      };
    default:
      return outcome satisfies never;
  }
};

const writtenEnd = (
  session: BegunSession,
  content: ContentRef,
  event: EndEvent | undefined,
): WriteSessionEnd => ({
  line: writtenLine(session.target, content),
  event,
  message: committedMessage(session, content),
});

const failedEnd = (session: BegunSession, content: ContentRef, reason: string): WriteSessionEnd => {
  const isUnknown = isOutcomeUnknown(reason);
  return {
    line: (isUnknown ? mayHaveWrittenLine : notWrittenLine)(session.target, content),
    event: { stage: 'failed', content, error: reason },
    notice: (isUnknown ? commitUnknownNotice : commitFailedNotice)(session, reason),
  };
};
