import type { Request, Response } from 'express';
import type { FinalizeAnswer } from '../../contracts/http-write-session.ts';
import type { ContentRef } from '../../contracts/write-session.ts';
import type { WriteSessionRow } from '../../db/write-session-row.ts';
import { takeContent } from './content-intake.ts';
import { contentOf, earlySessionId, readFinalize } from './finalize-body.ts';
import { JsonContent } from './json-content.ts';
import { readBody } from './request-body.ts';
import { finalizeAnswer } from './session-answers.ts';
import type { NoteActivity } from './session-activity.ts';
import type { RequireSession } from './session-lookup.ts';
import { readRequestId } from './session-requests.ts';
import { blankContent, sessionNotFound, writeFailed, writeInvalid } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

export interface FinalizeDeps extends Pick<WriteSessionParts, 'sessions' | 'contents'> {
  readonly requireSession: RequireSession;
  readonly noteActivity: NoteActivity;
}

/** Commits what a JSON body holds or, with `"draft": true`, the session's draft. Throws ApiError. */
export const finalizeFromJson = async (
  deps: FinalizeDeps,
  req: Request,
  res: Response,
): Promise<FinalizeAnswer> => {
  const json = new JsonContent();
  const pieces = contentOf(json, readBody(req));
  const first = await pieces.next();
  const content = first.done === true ? undefined : await takeRest(deps, req, json, first.value, pieces);
  const { sessionId, source } = readFinalize(json);
  if (source === 'content' && content === undefined) throw blankContent();
  return commit(deps, req, res, { session: await deps.requireSession(req, sessionId), content });
};

/** A body that names its session first is refused before anything is stored, and keeps the session alive. */
const takeRest = async (
  deps: FinalizeDeps,
  req: Request,
  json: JsonContent,
  first: Uint8Array,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ContentRef> => {
  const sessionId = earlySessionId(json);
  const session = sessionId === undefined ? undefined : await deps.requireSession(req, sessionId);
  const all = startingWith(first, pieces);
  return takeContent(deps.contents, session ? noting(deps, req, session, all) : all);
};

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** Commits a raw body. Throws ApiError. */
export const finalizeFromRaw = async (
  deps: FinalizeDeps,
  req: Request,
  res: Response,
  session: WriteSessionRow,
): Promise<FinalizeAnswer> => {
  const content = await takeContent(deps.contents, noting(deps, req, session, readBody(req)));
  return commit(deps, req, res, { session, content });
};

/** A slow upload is activity all along. */
export async function* noting(
  { noteActivity }: Pick<FinalizeDeps, 'noteActivity'>,
  req: Request,
  session: WriteSessionRow,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    noteActivity(session, (error) => req.log.warn({ err: error }, 'write session was not told of activity'));
    yield chunk;
  }
}

interface Commit {
  readonly session: WriteSessionRow;
  /** Undefined: the session's draft. */
  readonly content: ContentRef | undefined;
}

/** The content is stored by now: if Temporal cannot be reached, the repeat of the request finds it. */
const commit = async (
  { sessions }: FinalizeDeps,
  req: Request,
  res: Response,
  { session, content }: Commit,
): Promise<FinalizeAnswer> => {
  const { sessionId } = session;
  // A request id that comes again with other content is another finalize, and must not get this one's outcome.
  const updateId = `${readRequestId(req, res)}/${content?.sha256 ?? 'draft'}`;
  req.log.info({ sessionId, bytes: content?.bytes, sha256: content?.sha256 }, 'write session finalized');
  const outcome = await sessions.finalize(sessionId, content === undefined ? {} : { content }, updateId);
  switch (outcome.kind) {
    case 'committed':
      req.log.info({ sessionId, sha256: outcome.content.sha256 }, 'write session committed');
      return finalizeAnswer(session, outcome.content);
    case 'failed':
      req.log.warn({ sessionId, code: outcome.code, reason: outcome.reason }, 'write session commit failed');
      throw outcome.code === 'write_failed' ? writeFailed(outcome.reason) : refusedContent(outcome.reason);
    case 'ended':
      throw sessionNotFound(outcome.stage);
    case 'not_found':
      throw sessionNotFound();
    default:
      return outcome satisfies never;
  }
};

const refusedContent = (reason: string) =>
  writeInvalid([{ field: 'content', expected: 'text to write', received: reason }], reason);
