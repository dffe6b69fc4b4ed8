import type { Request, RequestHandler } from 'express';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import type { AdmittedOutcome } from '../../files/content-store/content-store.ts';
import { classifyFileError, WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ownerOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireJson, unsupportedTypeError } from '../requests/json-body.ts';
import type { CountBytes, StorageLimits } from '../storage/storage-limits.ts';
import type { TouchSession } from './session-touches.ts';
import {
  blankContentError,
  contentTooLargeError,
  invalidBytesError,
  writeFailedError,
} from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/**
 * Milliseconds for which the body of a refused request is still read, because many clients read the response only
 * afterwards.
 */
const DRAIN_MS = 30_000;
const RAW_TYPES = ['text/plain', 'application/octet-stream'];

/**
 * Yields the body as it comes in, chunk by chunk. It is not destroyed when its reader stops early, because that would
 * close the connection on which the refusal is to be answered. Throws ApiError when the client leaves before the end of
 * the body.
 */
export const readBody = async function* (req: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ApiError('validation_failed', 'The request ended before its body was complete.', { cause });
  }
};

/**
 * Reads and drops what is left of a refused body, so that the client gets to read the response. Destroys the request if
 * its body has not ended after `DRAIN_MS`.
 */
export const drainBody = (req: Request): void => {
  if (req.readableEnded || req.destroyed) return;
  const giveUp = setTimeout(() => req.destroy(), DRAIN_MS).unref();
  req.once('close', () => clearTimeout(giveUp)).resume();
};

/**
 * Middleware for routes that read a JSON body as a stream. Refuses another content type, charset or encoding with 415.
 */
export const requireJsonStream: RequestHandler = (req, res, next) => {
  if (isPlainUtf8(req)) requireJson(req, res, next);
  else next(unsupportedBodyError(req, 'application/json'));
};

/**
 * Reports whether the body is UTF-8, or ASCII, and not compressed. It is stored as it comes, so it can be neither
 * converted nor unpacked.
 */
const isPlainUtf8 = ({ headers }: Request): boolean => {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return encoding === 'identity' && /^(utf-?8|us-ascii)$/i.test(charset);
};

const unsupportedBodyError = (req: Request, types: string): ApiError => {
  const expected = `${types}, in UTF-8 and not compressed`;
  return unsupportedTypeError(req, expected, `Expected the content type ${expected}.`);
};

/**
 * Throws ApiError (415) unless the body is the text itself. A body without a content type, as `curl -T` sends it, is
 * accepted, too.
 */
export const requireRaw = (req: Request): void => {
  const isKnown = req.headers['content-type'] === undefined || req.is(RAW_TYPES) !== false;
  if (!isKnown || !isPlainUtf8(req)) throw unsupportedBodyError(req, RAW_TYPES.join(' or '));
};

/**
 * Throws ApiError `content_too_large` if a body cannot fit by its `Content-Length`. The first `offset` of the
 * `maxBytes` bytes are taken already.
 */
export const requireFit = (req: Request, maxBytes: number, offset = 0): void => {
  if (offset + (contentLengthOf(req) ?? 0) > maxBytes) throw contentTooLargeError(maxBytes);
};

/** Returns the length of a body in bytes. Returns undefined for a body in chunks, whose length is not known. */
const contentLengthOf = (req: Request): number | undefined => {
  const length = req.headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

/**
 * Stores a body by `store` within the limits of its key and of the disk. Space is held for its `Content-Length`, or for
 * the largest content if it has none. Rejects with ApiError.
 */
export const storeBody = <T extends { readonly kind: string }>(
  { storage, maxContentBytes }: Pick<ContentIntake, 'storage' | 'maxContentBytes'>,
  req: Request,
  store: (count: CountBytes) => Promise<T>,
): Promise<T> => {
  const maxBytes = Math.min(contentLengthOf(req) ?? maxContentBytes, maxContentBytes);
  const isStored = ({ kind }: T): boolean => kind === 'stored';
  return storage.storeCounted({ owner: ownerOf(req), maxBytes, isStored }, (count) =>
    withDiskErrors(store(count)),
  );
};

/** What a route needs to take in content. `maxContentBytes` is the largest size of one content. */
export interface ContentIntake {
  readonly contents: WriteSessionParts['contents'];
  readonly touchSession: TouchSession;
  readonly storage: StorageLimits;
  readonly maxContentBytes: number;
}

/** Content that comes in, and the look-up of its session, which may be known only at the end of the body. */
interface IncomingContent {
  readonly source: AsyncIterable<Uint8Array>;
  readonly findSession: () => Promise<WriteSessionRow>;
}

/** Content that is on disk, and its session. */
export interface ReceivedContent {
  readonly session: WriteSessionRow;
  readonly content: ContentRef;
}

/**
 * Stores content while it comes in. Resolves when the content is on disk. It gets its name only once its session, which
 * is looked up once and after all of the content, is certain. Content that is refused, or that comes for a session that
 * has ended, is removed before this function settles. For an ended session it resolves as well. Rejects with ApiError.
 */
export const receiveContent = async (
  deps: ContentIntake,
  req: Request,
  { source, findSession }: IncomingContent,
): Promise<ReceivedContent> => {
  let sessionLookup: Promise<WriteSessionRow> | undefined;
  const load = (): Promise<WriteSessionRow> => (sessionLookup ??= findSession());
  const outcome = await storeBody(deps, req, (count) =>
    deps.contents.putAdmitted(source, async ({ bytes }) => {
      const { sessionId, state } = await load();
      // A session that has ended is answered from its row, for which the hash of the content is enough.
      if (state === 'ended') return undefined;
      await count(bytes);
      return sessionId;
    }),
  );
  if (outcome.kind !== 'stored' && outcome.kind !== 'dropped') {
    throw contentNotStoredError(outcome, deps.maxContentBytes);
  }
  return { session: await load(), content: outcome.content };
};

const contentNotStoredError = (
  outcome: Exclude<AdmittedOutcome, { kind: 'stored' | 'dropped' }>,
  maxContentBytes: number,
): ApiError => {
  switch (outcome.kind) {
    case 'too_large':
      return contentTooLargeError(maxContentBytes);
    case 'invalid_text':
      return invalidBytesError(outcome.reason);
    case 'blank':
      return blankContentError();
    default:
      return outcome satisfies never;
  }
};

/**
 * Returns the result of `work`. An error of the file system, such as a full disk, becomes `write_failed` with its
 * reason, as it does when the target file is written. Rejects with any other error unchanged.
 */
export const withDiskErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const failure = error instanceof ApiError ? error : classifyFileError(error, '');
    throw failure instanceof WorkspaceError ? writeFailedError(failure.message, error) : failure;
  }
};

/**
 * Passes chunks on, and notes the activity of the session with each, so that the session does not expire during a slow
 * upload.
 */
export const withActivityNoted = async function* (
  { touchSession }: Pick<ContentIntake, 'touchSession'>,
  req: Request,
  session: WriteSessionRow,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    touchSession(session, (error) =>
      req.log.warn({ err: error }, 'activity could not be reported to the write session'),
    );
    yield chunk;
  }
};
