import type { ValidationDetail } from '../../contracts/http/errors.ts';
import type { SessionStage } from '../../contracts/write-session/write-session.ts';
import type { ConflictDescription } from '../../write-session-service/describe-conflict.ts';
import { MAX_CHUNKS } from '../../files/content-store/drafts.ts';
import {
  validationFailedText,
  WRITE_SESSION_TEXTS,
} from '../../contracts/write-session/write-session-texts.ts';
import { ApiError } from '../errors/api-error.ts';
import { describeProblems } from '../requests/validation.ts';

/*
 * Refusals of write sessions, in the texts of docs/write-sessions.md.
 */

/** Returns the 400 of a write session. `problems` is the text for people; without it, the fields are described. */
export const writeInvalid = (
  details: readonly ValidationDetail[],
  problems = describeProblems(details),
): ApiError => new ApiError('validation_failed', validationFailedText(problems), { details });

/** Returns the 400 for a body that is no JSON object with a content. */
export const invalidBody = (expected: string, received: string): ApiError =>
  writeInvalid([{ field: 'body', expected, received }]);

/** Returns the 400 for a content that is no text, with what was received. */
export const invalidContent = (received: string): ApiError =>
  writeInvalid([{ field: 'content', expected: 'text that is valid Unicode, in valid JSON', received }]);

/** Returns the 400 for raw content that is no text. `reason` says what was expected, and where something else was. */
export const invalidBytes = (reason: string): ApiError =>
  writeInvalid([{ field: 'content', expected: 'UTF-8 text', received: 'other bytes' }], reason);

/** Returns the 400 for a content that consists of white space only. */
export const blankContent = (): ApiError =>
  writeInvalid(
    [{ field: 'content', expected: 'text that is not blank', received: 'nothing but white space' }],
    'content cannot be empty',
  );

/** Returns the 413 for a body that holds more than `bytes` beside its content. */
export const bodyTooLarge = (bytes: number): ApiError =>
  new ApiError('payload_too_large', `The body may hold ${bytes} bytes beside the content.`);

/** Returns the 413 for a content above the limit of a session. */
export const contentTooLarge = (): ApiError =>
  new ApiError('content_too_large', WRITE_SESSION_TEXTS.contentTooLarge);

/** Returns the error that says which session has the target or the slots, as far as the caller may know. */
export const sessionConflict = ({ reason, lock, session }: ConflictDescription): ApiError =>
  new ApiError('session_conflict', WRITE_SESSION_TEXTS.sessionActive, {
    details: {
      reason,
      lock,
      ...(session && {
        session_id: session.sessionId,
        target_file: session.targetFile,
        projectId: session.projectId,
        ...(session.conversationId !== null && { conversationId: session.conversationId }),
        ...(session.turnId !== null && { turnId: session.turnId }),
        command: session.command,
      }),
    },
  });

/**
 * Returns the error of a finalize over HTTP for a session that only its turn may commit, once a person has allowed
 * that.
 */
export const approvalRequired = (inputId: string | undefined): ApiError =>
  new ApiError(
    'approval_required',
    inputId === undefined
      ? 'The turn asks somebody before it writes this file; its text is not complete yet.'
      : `The turn waits for a reply to ${inputId} before it writes this file.`,
    inputId === undefined ? {} : { details: { inputId } },
  );

/**
 * Returns the error of a session that cannot be found. `stage` is how it has ended. Without it there was none, as far
 * as the caller may know.
 */
export const sessionNotFound = (stage?: SessionStage): ApiError =>
  new ApiError('session_not_found', WRITE_SESSION_TEXTS.sessionNotFound, {
    details: stage === undefined ? { reason: 'There is no such write session.' } : { stage },
  });

/** Returns the 413 for a draft in more chunks than a session may have. */
export const tooManyChunks = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `A draft may have ${MAX_CHUNKS} chunks, and this one has. Finalize with the whole content instead.`,
  );

/**
 * Returns the error of a chunk at the wrong place. `offset` is where the draft ends, and where the next chunk has to
 * begin.
 */
export const draftOffset = (offset: number): ApiError =>
  new ApiError('draft_offset', `The draft has ${offset} bytes; go on from there.`, { details: { offset } });

/** Returns the error of a failed write, with the file system's reason. The target is untouched and the session open. */
export const writeFailed = (reason: string, cause?: unknown): ApiError =>
  new ApiError('write_failed', WRITE_SESSION_TEXTS.internalError, { details: { reason }, cause });

/**
 * Returns the error of an undo that cannot be done: the session is not committed, is undone already, or its target has
 * changed since.
 */
export const undoRefused = (reason: string): ApiError =>
  new ApiError('session_conflict', `The write cannot be undone: ${reason}`, { details: { reason } });
