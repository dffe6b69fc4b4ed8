import type { Request, RequestHandler } from 'express';
import type { DraftAnswer } from '../../contracts/http/write-sessions.ts';
import type { ContentRef } from '../../contracts/write-session.ts';
import type { WriteSessionRow } from '../../db/write-session-row.ts';
import type { AdmittedOutcome } from '../../files/content-store/content-store.ts';
import { classifyFileError, WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ownerOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireJson } from '../requests/json-body.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import { readUploadOffset, requireOpen, type RequireSession } from './session-requests.ts';
import {
  blankContent,
  contentTooLarge,
  draftOffset,
  invalidBytes,
  tooManyChunks,
  writeFailed,
} from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/** A client that sends on after a refusal is listened to this long: many read the answer only afterwards. */
const DRAIN_MS = 30_000;
const RAW_TYPES = ['text/plain', 'application/octet-stream'];

/** Beyond it times are forgotten, which costs each session at most one touch too many. */
const MAX_REMEMBERED = 1_000;

/**
 * The body as it comes in, chunk by chunk. Left early it stays open: destroying it would close the connection on
 * which the refusal is to be answered. Throws ApiError when the client goes away in the middle.
 */
export async function* readBody(req: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ApiError('validation_failed', 'The request ended before its body was complete.', { cause });
  }
}

/** Lets what is left of a refused body run into the void, so that the client gets to read the answer. */
export const drainBody = (req: Request): void => {
  if (req.readableEnded || req.destroyed) return;
  const giveUp = setTimeout(() => req.destroy(), DRAIN_MS).unref();
  req.once('close', () => clearTimeout(giveUp)).resume();
};

const wrongType = (expected: string): ApiError =>
  new ApiError('unsupported_media_type', `Expected ${expected}, in UTF-8 and not compressed.`);

/** The body is taken byte by byte: nothing here converts or unpacks it. */
const isPlainUtf8 = ({ headers }: Request): boolean => {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  return encoding === 'identity' && /^(utf-?8|us-ascii)$/i.test(charset);
};

/** For a JSON body that a route reads itself. */
export const requireJsonStream: RequestHandler = (req, res, next) => {
  if (isPlainUtf8(req)) requireJson(req, res, next);
  else next(wrongType('the content type application/json'));
};

/** For text as the body itself. Without a type, as `curl -T` sends it, it is bytes. Throws ApiError. */
export const requireRaw = (req: Request): void => {
  const known = req.headers['content-type'] === undefined || req.is(RAW_TYPES) !== false;
  if (!known || !isPlainUtf8(req)) throw wrongType(`the content type ${RAW_TYPES.join(' or ')}`);
};

/** Length that a client announces; undefined for a body in chunks. */
const announcedBytes = (req: Request): number | undefined => {
  const length = req.headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

/** Refuses by its `Content-Length` what cannot fit behind the first `offset` bytes. */
export const requireFit = (req: Request, maxBytes: number, offset = 0): void => {
  if (offset + (announcedBytes(req) ?? 0) > maxBytes) throw contentTooLarge();
};

/** Runs `store` while as much place is held as the request may fill. Throws ApiError. */
const withRoom = <T>(
  { storage, maxContentBytes }: { readonly storage: StorageLimits; readonly maxContentBytes: number },
  req: Request,
  store: () => Promise<T>,
): Promise<T> => {
  const announced = Math.min(announcedBytes(req) ?? maxContentBytes, maxContentBytes);
  return storage.receiving(ownerOf(req), announced, store);
};

export interface Intake {
  readonly contents: WriteSessionParts['contents'];
  readonly noteActivity: NoteActivity;
  readonly storage: StorageLimits;
  readonly maxContentBytes: number;
}

/** What comes in, and the session it is for, which may be known only at the end of the body. */
interface IncomingContent {
  readonly source: AsyncIterable<Uint8Array>;
  readonly session: () => Promise<WriteSessionRow>;
}

/**
 * Stores content while it comes in; resolves when it is on disk. It gets its name once it is sure whose it is: what
 * is refused, or comes for a session that has ended, is gone with its request. Throws ApiError.
 */
export const takeContent = async (
  { contents, storage, maxContentBytes }: Intake,
  req: Request,
  { source, session }: IncomingContent,
): Promise<ContentRef> => {
  let giveBack = (): void => undefined;
  const admit = async ({ bytes }: ContentRef): Promise<string | undefined> => {
    const { sessionId, state } = await session();
    // An ended session is answered from its row, by the hash alone.
    if (state === 'ended') return undefined;
    giveBack = await storage.count(ownerOf(req), bytes);
    return sessionId;
  };
  const outcome = await withRoom({ storage, maxContentBytes }, req, () =>
    storing(contents.putAdmitted(source, admit)),
  ).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  if (outcome.kind === 'stored' || outcome.kind === 'dropped') return outcome.content;
  throw refusal(outcome);
};

const refusal = (outcome: Exclude<AdmittedOutcome, { kind: 'stored' | 'dropped' }>): ApiError => {
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

/** A full disk is the caller's to know, as it is when the target itself is written. */
export const storing = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const failure = error instanceof ApiError ? error : classifyFileError(error, '');
    throw failure instanceof WorkspaceError ? writeFailed(failure.message, error) : failure;
  }
};

/** Adds a chunk to the session's draft. Throws ApiError. */
export const answerDraft = async (
  deps: Intake & { readonly requireSession: RequireSession },
  req: Request,
  session: WriteSessionRow,
): Promise<DraftAnswer> => {
  const offset = readUploadOffset(req);
  requireFit(req, deps.maxContentBytes, offset);
  const source = noting(deps, req, session, readBody(req));
  const { sessionId } = session;
  const admit = async (bytes: number) => {
    // A chunk takes its time: nobody would ever remove that of a session which has ended meanwhile.
    requireOpen(await deps.requireSession(req, sessionId));
    return { giveBack: await deps.storage.count(ownerOf(req), bytes) };
  };
  const outcome = await withRoom(deps, req, () =>
    storing(deps.contents.drafts.append(sessionId, offset, source, admit)),
  );
  switch (outcome.kind) {
    case 'stored':
      return { offset: outcome.offset };
    case 'offset':
      throw draftOffset(outcome.offset);
    case 'too_many':
      throw tooManyChunks();
    case 'too_large':
      throw contentTooLarge();
    default:
      return outcome satisfies never;
  }
};

/** A slow upload is activity all along. */
export async function* noting(
  { noteActivity }: Pick<Intake, 'noteActivity'>,
  req: Request,
  session: WriteSessionRow,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    noteActivity(session, (error) => req.log.warn({ err: error }, 'write session was not told of activity'));
    yield chunk;
  }
}

interface SessionActivityDeps {
  /** Tells the session's workflow; may fail. */
  readonly touch: (sessionId: string) => Promise<unknown>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Something came for the session: it expires later. Each touch is an event of a history, so only one per tenth of
 * the inactivity timeout is sent, and none in the first (docs/write-sessions.md). Never fails what it is called for.
 */
export type NoteActivity = (
  session: Pick<WriteSessionRow, 'sessionId' | 'startedAt' | 'input'>,
  onFailure: (error: unknown) => void,
) => void;

export const createSessionActivity = ({ touch, now }: SessionActivityDeps): NoteActivity => {
  const touched = new Map<string, number>();
  return ({ sessionId, startedAt, input }, onFailure) => {
    const last = touched.get(sessionId) ?? startedAt.getTime();
    if (now() - last < input.inactivityTimeoutMs / 10) return;
    if (touched.size >= MAX_REMEMBERED) touched.clear();
    touched.set(sessionId, now());
    touch(sessionId).catch((error: unknown) => {
      touched.delete(sessionId);
      onFailure(error);
    });
  };
};
