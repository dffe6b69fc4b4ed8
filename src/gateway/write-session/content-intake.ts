import type { Request, RequestHandler } from 'express';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import type { AdmittedOutcome } from '../../files/content-store/content-store.ts';
import { classifyFileError, WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ownerOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireJson } from '../requests/json-body.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import type { NoteActivity } from './session-activity.ts';
import { blankContent, contentTooLarge, invalidBytes, writeFailed } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/** Milliseconds for which the body of a refused request is still read: many clients read the answer only afterwards. */
const DRAIN_MS = 30_000;
const RAW_TYPES = ['text/plain', 'application/octet-stream'];

/**
 * The body as it comes in, chunk by chunk. When the reader leaves early it stays open: destroying it would close the
 * connection on which the refusal is to be answered. Throws ApiError when the client goes away in the middle.
 */
export const readBody = async function* (req: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ApiError('validation_failed', 'The request ended before its body was complete.', { cause });
  }
};

/** Reads and drops what is left of a refused body, so that the client gets to read the answer. */
export const drainBody = (req: Request): void => {
  if (req.readableEnded || req.destroyed) return;
  const giveUp = setTimeout(() => req.destroy(), DRAIN_MS).unref();
  req.once('close', () => clearTimeout(giveUp)).resume();
};

const wrongType = (expected: string): ApiError =>
  new ApiError('unsupported_media_type', `Expected ${expected}, in UTF-8 and not compressed.`);

/** The body is taken byte by byte, so it may be neither converted nor compressed. */
const isPlainUtf8 = ({ headers }: Request): boolean => {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return encoding === 'identity' && /^(utf-?8|us-ascii)$/i.test(charset);
};

/** Guards routes that read a JSON body as a stream: 415 for another content type, charset or encoding. */
export const requireJsonStream: RequestHandler = (req, res, next) => {
  if (isPlainUtf8(req)) requireJson(req, res, next);
  else next(wrongType('the content type application/json'));
};

/** Accepts text as the body itself. Without a type, as `curl -T` sends it, it is bytes. Throws ApiError. */
export const requireRaw = (req: Request): void => {
  const isKnown = req.headers['content-type'] === undefined || req.is(RAW_TYPES) !== false;
  if (!isKnown || !isPlainUtf8(req)) throw wrongType(`the content type ${RAW_TYPES.join(' or ')}`);
};

/** Returns the length that a client announces. Returns undefined for a body in chunks. */
const announcedBytes = (req: Request): number | undefined => {
  const length = req.headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

/** Refuses a body by its `Content-Length` when it cannot fit after the first `offset` bytes. */
export const requireFit = (req: Request, maxBytes: number, offset = 0): void => {
  if (offset + (announcedBytes(req) ?? 0) > maxBytes) throw contentTooLarge();
};

/** Runs `store` while space for the whole request is held. Throws ApiError. */
export const withHeldSpace = <T>(
  { storage, maxContentBytes }: { readonly storage: StorageLimits; readonly maxContentBytes: number },
  req: Request,
  store: () => Promise<T>,
): Promise<T> => {
  const announced = Math.min(announcedBytes(req) ?? maxContentBytes, maxContentBytes);
  return storage.withHeldSpace(ownerOf(req), announced, store);
};

/**
 * The parts that a route needs to take content in: the store, the largest size, and the note that a session is active.
 */
export interface ContentIntake {
  readonly contents: WriteSessionParts['contents'];
  readonly noteActivity: NoteActivity;
  readonly storage: StorageLimits;
  readonly maxContentBytes: number;
}

/** The content that comes in, and its session, which may be known only at the end of the body. */
interface IncomingContent {
  readonly source: AsyncIterable<Uint8Array>;
  readonly session: () => Promise<WriteSessionRow>;
}

/**
 * Stores content while it comes in; resolves when it is on disk. It gets its name once its session is certain: content
 * that is refused, or comes for a session that has ended, is gone with its request. Throws ApiError.
 */
export const receiveContent = async (
  { contents, storage, maxContentBytes }: ContentIntake,
  req: Request,
  { source, session }: IncomingContent,
): Promise<ContentRef> => {
  let giveBack = (): void => undefined;
  const admit = async ({ bytes }: ContentRef): Promise<string | undefined> => {
    const { sessionId, state } = await session();
    // An ended session is answered from its row, which needs only the hash.
    if (state === 'ended') return undefined;
    giveBack = await storage.countBytes(ownerOf(req), bytes);
    return sessionId;
  };
  const outcome = await withHeldSpace({ storage, maxContentBytes }, req, () =>
    withDiskErrors(contents.putAdmitted(source, admit)),
  ).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  if (outcome.kind === 'stored' || outcome.kind === 'dropped') return outcome.content;
  throw contentRefusal(outcome);
};

const contentRefusal = (outcome: Exclude<AdmittedOutcome, { kind: 'stored' | 'dropped' }>): ApiError => {
  switch (outcome.kind) {
    case 'too_large':
      return contentTooLarge();
    case 'invalid_text':
      return invalidBytes(outcome.reason);
    case 'blank':
      return blankContent();
    default:
      return outcome satisfies never;
  }
};

/** Returns the result of `work`. A full disk is reported to the caller, as it is when the target itself is written. */
export const withDiskErrors = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const failure = error instanceof ApiError ? error : classifyFileError(error, '');
    throw failure instanceof WorkspaceError ? writeFailed(failure.message, error) : failure;
  }
};

/** Passes chunks on, and at each tells the session that a client writes: a slow upload must not expire it. */
export const withActivityNoted = async function* (
  { noteActivity }: Pick<ContentIntake, 'noteActivity'>,
  req: Request,
  session: WriteSessionRow,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    noteActivity(session, (error) =>
      req.log.warn({ err: error }, 'activity could not be reported to the write session'),
    );
    yield chunk;
  }
};
