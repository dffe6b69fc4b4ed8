/*
 * Refusals of write sessions, in the texts of docs/write-sessions.md.
 */
import type { ValidationDetail } from '../../contracts/http/errors.ts';
import { INTERNAL_ERROR_TEXT } from '../../contracts/values/internal-error-text.ts';
import type { SessionStage } from '../../contracts/write-session/write-session.ts';
import type { ConflictDescription } from '../../write-session-service/describe-conflict.ts';
import { MAX_CHUNKS } from '../../files/content-store/drafts.ts';
import {
  validationFailedText,
  WRITE_SESSION_TEXTS,
} from '../../contracts/write-session/write-session-texts.ts';
import { ApiError } from '../errors/api-error.ts';
import { describeProblems } from '../requests/validation.ts';

/** Returns the 400 of a write session. `problems` is the text for people, by default a description of `details`. */
export const sessionValidationError = (
  details: readonly ValidationDetail[],
  problems = describeProblems(details),
): ApiError => new ApiError('validation_failed', validationFailedText(problems), { details });

/** Returns the 400 for a body that is not a JSON object with one content. */
export const invalidBodyError = (expected: string, received: string): ApiError =>
  sessionValidationError([{ field: 'body', expected, received }]);

/** Returns the 400 for a content that is not text. `received` says what came instead. */
export const invalidContentError = (received: string): ApiError =>
  sessionValidationError([
    { field: 'content', expected: 'text that is valid Unicode, in valid JSON', received },
  ]);

/**
 * Returns the 400 for a raw content that is not UTF-8. `reason` is a text for people, which also says where the content
 * is wrong.
 */
export const invalidBytesError = (reason: string): ApiError =>
  sessionValidationError([{ field: 'content', expected: 'UTF-8 text', received: 'other bytes' }], reason);

/** Returns the 400 for a content that consists of white space only. */
export const blankContentError = (): ApiError =>
  sessionValidationError(
    [{ field: 'content', expected: 'text that is not blank', received: 'nothing but white space' }],
    'content cannot be empty',
  );

/** Returns the 413 for a body that holds more than `bytes` beside its content. */
export const bodyTooLargeError = (bytes: number): ApiError =>
  new ApiError('payload_too_large', `The body may hold ${bytes} bytes beside the content.`);

/** Returns the 413 for a content of more than `limit` bytes. Its text says 10MB; only `details` has the limit. */
export const contentTooLargeError = (limit: number): ApiError =>
  new ApiError('content_too_large', WRITE_SESSION_TEXTS.contentTooLarge, { details: { limit } });

/**
 * Returns the 409 for a begin that another session stands in the way of: it has the same target, or the last slot of
 * the key. The error names that session only if the caller may know it.
 */
export const sessionConflictError = ({ reason, lock, session }: ConflictDescription): ApiError =>
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
 * Returns the 409 for a finalize of a session that only its turn may commit, once a person has allowed that. `inputId`
 * is the request that waits for this person, or undefined if it is not open yet.
 */
export const approvalRequiredError = (inputId: string | undefined): ApiError =>
  new ApiError(
    'approval_required',
    inputId === undefined
      ? 'The turn asks somebody before it writes this file; its text is not complete yet.'
      : `The turn waits for a reply to ${inputId} before it writes this file.`,
    inputId === undefined ? {} : { details: { inputId } },
  );

/**
 * Returns the 404 of a session. `stage` is the stage in which the session ended. Without it there is no such session,
 * as far as the caller may know.
 */
export const sessionNotFoundError = (stage?: SessionStage): ApiError =>
  new ApiError('session_not_found', WRITE_SESSION_TEXTS.sessionNotFound, {
    details: stage === undefined ? { reason: 'There is no such write session.' } : { stage },
  });

/** Returns the 413 for a chunk of a draft that already has as many chunks as it may have. */
export const tooManyChunksError = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `A draft may have ${MAX_CHUNKS} chunks, and this one has. Finalize with the whole content instead.`,
  );

/**
 * Returns the 409 for a chunk at the wrong place. `offset` is the length of the draft in bytes, where the next chunk
 * has to begin.
 */
export const draftOffsetError = (offset: number): ApiError =>
  new ApiError('draft_offset', `The draft has ${offset} bytes; go on from there.`, { details: { offset } });

/**
 * Returns the 500 of a write that failed, with the reason of the file system. The target is untouched, and the session
 * is still open.
 */
export const writeFailedError = (reason: string, cause?: unknown): ApiError =>
  new ApiError('write_failed', INTERNAL_ERROR_TEXT, { details: { reason }, cause });

/**
 * Returns the 409 for an undo that cannot be done, for example because the session is not committed, or its target has
 * changed since.
 */
export const undoRefusedError = (reason: string): ApiError =>
  new ApiError('session_conflict', `The write cannot be undone: ${reason}`, { details: { reason } });
