import { createHash, randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { ValidationDetail } from '../../contracts/http/errors.ts';
import {
  beginBodySchema,
  sessionReferenceSchema,
  TARGET_EXPECTATION,
  type BeginBody,
} from '../../contracts/http/write-session-api.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import { ApiError } from '../errors/api-error.ts';
import { adoptHttpRequestId, httpRequestIdOf } from '../requests/http-request-id.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { describeValue, parseRequest } from '../requests/validation.ts';
import { sessionValidationError } from './write-errors.ts';

/** Reads the body of a begin. Throws `validation_failed`. */
export const readBegin = (req: Request): BeginBody =>
  parseRequest(beginBodySchema, foldAliases(req.body, PROJECT_ALIASES), 'body', {
    toError: beginValidationError,
  });

/** Reads the id of the session that a body or query names. Throws `validation_failed`. */
export const readReference = (input: unknown): string =>
  parseRequest(sessionReferenceSchema, input, 'session_id', { toError: sessionValidationError }).session_id;

/** Reads the offset in bytes at which the chunk begins in the draft. Throws `validation_failed`. */
export const readUploadOffset = (req: Request): number => {
  const value = req.get('Upload-Offset');
  if (value !== undefined && /^\d{1,15}$/.test(value)) return Number(value);
  throw sessionValidationError([
    { field: 'Upload-Offset', expected: 'the number of bytes sent so far', received: describeValue(value) },
  ]);
};

/**
 * Gives the request its `Idempotency-Key` as its id if it has one, as for turns, and returns the id. Throws
 * `validation_failed`.
 */
export const adoptIdempotencyKey = (req: Request, res: Response): string => {
  const key = readKey(req);
  if (key !== undefined) adoptHttpRequestId(res, key);
  return httpRequestIdOf(req);
};

/**
 * Returns the id for a session to begin. With an `Idempotency-Key` it is the same however often the begin is sent,
 * otherwise it is random. Throws `validation_failed`.
 */
export const newSessionIdFor = (req: Request, projectId: string): string => {
  const key = readKey(req);
  return key === undefined ? randomUUID() : namedUuid(`${projectId}\0${key}`);
};

/**
 * Returns the refusal of a begin. A missing target or a wrong operation has a text of its own, which is given instead
 * of all others, the target first.
 */
const beginValidationError = (details: readonly ValidationDetail[]): ApiError => {
  const { targetRequired, invalidOperation } = WRITE_SESSION_TEXTS;
  if (details.some(isMissingTarget)) return new ApiError('validation_failed', targetRequired, { details });
  const isWrongOperation = details.some(({ field }) => field === 'operation');
  if (isWrongOperation) return new ApiError('validation_failed', invalidOperation, { details });
  return sessionValidationError(details);
};

/** Reports whether a problem is a target that is missing or blank. */
const isMissingTarget = ({ field, expected, received }: ValidationDetail): boolean =>
  field === 'target_file' &&
  (expected === TARGET_EXPECTATION || received === 'nothing' || received === 'null');

const readKey = (req: Request): string | undefined => {
  const field = 'Idempotency-Key';
  return parseRequest(idSchema.optional(), req.get(field), field, { toError: sessionValidationError });
};

/** Makes a UUID of version 8 (RFC 9562, section 5.8) from a name. */
const namedUuid = (name: string): string => {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
