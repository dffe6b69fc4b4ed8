import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import { linesText } from '../../write-session/replaced-text.ts';
import { tailToContinueFrom } from '../../write-session/stitching.ts';
import type { NoticeText } from './notices.ts';
import type { BegunSession } from '../ports/write-session-port.ts';

/** Returns the notice of a session whose text has no end marker, when the model is not asked to go on any longer. */
export const unfinishedNotice = ({ target, sessionId }: BegunSession, draft: ContentRef): NoticeText =>
  writeNotice(
    `${target} was not written: its text does not end with DONE on its own line. The write session ${sessionId} stays open with a draft of ${linesText(draft.lines)}.`,
    `Nothing was written to ${target}: the text did not end with DONE on its own line. The write session stays open with the draft. Tell the user so.`,
  );

/** Returns the notice of a commit that may have taken effect. `reason` begins with `OUTCOME_UNKNOWN`. */
export const commitUnknownNotice = ({ target }: BegunSession, reason: string): NoticeText => {
  const user = `It is not known whether ${target} was written: ${reason}`;
  return writeNotice(user, `${user}. Read it before you write it again, and tell the user.`);
};

/** Returns the notice of a commit that failed. `reason` is the text of the failure. */
export const commitFailedNotice = ({ target }: BegunSession, reason: string): NoticeText =>
  writeNotice(
    `${target} was not written: ${reason}`,
    `The write to ${target} failed, nothing was changed: ${reason}. Choose another way, or tell the user.`,
  );

/**
 * The reasons why a file that needs an approval was not written. Models rely on them word by word (docs/inputs.md
 * "Files").
 */
export const COMMIT_REFUSALS = {
  denied: 'The user did not allow this write.',
  notAnswered: 'Nobody answered in time; the file was not written.',
  noMoreRequests: 'No more requests are allowed now; the file was not written.',
  interrupted: 'Not written: the user interrupted.',
  turnCancelled: 'The turn was cancelled before anybody allowed it.',
  noEnd: 'Its text does not end with DONE on its own line.',
} as const;

/** Returns the notice of a commit that was not allowed, or about which nobody was asked. `reason` is a sentence. */
export const commitDeniedNotice = ({ target }: BegunSession, reason: string): NoticeText =>
  writeNotice(
    `${target} was not written. ${reason}`,
    `Nothing was written to ${target}. ${reason} Do not write it in another way; tell the user so.`,
  );

/**
 * Returns the notice of content that was refused. It asks the model for other content, which the same session takes.
 */
export const contentRefusedNotice = (reason: string): NoticeText =>
  writeNotice(
    `Content validation failed: ${reason}.`,
    `Content validation failed: ${reason}. Please fix and try again. ${WRITE_SESSION_TEXTS.instruction}`,
  );

/** Returns the notice, for the user only, that a code fence around the whole content was not written to the file. */
export const codeFenceLeftOutNotice = ({ target }: BegunSession): NoticeText => ({
  notice: 'write_session',
  chunk: `\n\n**System Notice**: The code fence around the whole content was not written to ${target}.\n\n`,
});

/** Returns the message that tells the model, and not the user, that its file is written. */
export const committedMessage = ({ target }: BegunSession, { lines, bytes }: ContentRef): string =>
  `${target} is written (${linesText(lines)}, ${bytes} bytes). Do not write its content again; go on, or say briefly that it is done.`;

/**
 * Returns the message that tells the model for which file its next text is. It is needed if another session came
 * between the call that began this one and its text.
 */
export const contentDueMessage = ({ target }: BegunSession): string =>
  `The next text is the content of ${target}. ${WRITE_SESSION_TEXTS.instruction}`;

/**
 * Returns the message that asks a model to continue a text that its provider has cut (`length`). `written` is the text
 * so far.
 */
export const continueMessage = (written: string): string =>
  `Your output was cut by its length limit. Continue exactly where it stopped, repeat nothing, and end with DONE on its own line. These are its last lines:\n\n${tailToContinueFrom(written)}`;

const writeNotice = (user: string, model: string): NoticeText => ({
  notice: 'write_session',
  system: model,
  chunk: `\n\n**System Notice**: ${user}\n\n`,
});
