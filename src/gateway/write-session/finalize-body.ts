import type { Request } from 'express';
import { finalizeBodySchema } from '../../contracts/http/write-session-api.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { parseRequest } from '../requests/validation.ts';
import {
  withActivityNoted,
  readBody,
  withDiskErrors,
  receiveContent,
  type ContentIntake,
  type ReceivedContent,
} from './content-intake.ts';
import { JsonContent } from './json-content.ts';
import type { RequireSession } from './session-lookup.ts';
import { blankContentError, sessionValidationError } from './write-errors.ts';

export interface FinalizeBodyDeps extends ContentIntake {
  readonly requireSession: RequireSession;
}

/** What a finalize commits to the target of its session: content that is on disk, or the draft. */
export interface ContentToCommit {
  readonly session: WriteSessionRow;
  /** The content, which is on disk. Undefined means the draft of the session. */
  readonly content: ContentRef | undefined;
}

/**
 * Receives the JSON body of a finalize. Its `content` is on disk when this function resolves. With `"draft": true` the
 * body asks for the draft of the session instead, and with `"empty": true` for an empty file. Rejects with ApiError.
 */
export const receiveFinalizeBody = async (deps: FinalizeBodyDeps, req: Request): Promise<ContentToCommit> => {
  const json = new JsonContent();
  const pieces = decodeContent(json, readBody(req));
  try {
    const first = await pieces.next();
    if (first.done === true) return await resolveWithoutContent(deps, req, json);
    return await receiveBodyContent(deps, req, json, startingWith(first.value, pieces));
  } finally {
    // While a body is being iterated, `drainBody` cannot read the rest, which would hold up the connection.
    await pieces.return(undefined);
  }
};

/** Yields the decoded content of a JSON body. When it ends, the body has been read to its end. Throws ApiError. */
const decodeContent = async function* (
  json: JsonContent,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield* json.take(chunk);
};

const startingWith = async function* <T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
};

/** Returns what a body without content commits: the draft or an empty file. */
const resolveWithoutContent = async (
  deps: FinalizeBodyDeps,
  req: Request,
  json: JsonContent,
): Promise<ContentToCommit> => {
  const { sessionId, source } = readFinalize(json);
  if (source === 'content') throw blankContentError();
  const session = await deps.requireSession(req, sessionId);
  if (source === 'draft') return { session, content: undefined };
  return { session, content: await withDiskErrors(deps.contents.putEmpty(session.sessionId)) };
};

/**
 * Receives the content of a body. If the body names its session before the content, the session is looked up first. The
 * body may then be refused before any content is taken, and its chunks keep the session alive. If it names the session
 * after the content, as programs that sort their fields do, the session is looked up before the content is kept.
 */
const receiveBodyContent = async (
  deps: FinalizeBodyDeps,
  req: Request,
  json: JsonContent,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ReceivedContent> => {
  const earlyId = earlySessionId(json);
  const source =
    earlyId === undefined
      ? pieces
      : withActivityNoted(deps, req, await deps.requireSession(req, earlyId), pieces);
  return receiveContent(deps, req, {
    source,
    findSession: () => deps.requireSession(req, readFinalize(json).sessionId),
  });
};

/** What a finalize asks to commit: the content out of the body, the session's draft, or an empty file. */
interface FinalizeBody {
  readonly sessionId: string;
  readonly source: 'content' | 'draft' | 'empty';
}

/** Returns the session that a body names before its content. Returns undefined if no valid one has been named yet. */
const earlySessionId = (json: JsonContent): string | undefined => {
  const named = finalizeBodySchema.pick({ session_id: true }).safeParse(json.fieldsBefore());
  return named.success ? named.data.session_id : undefined;
};

/** Reads what a body asks for, once it has been read to its end. Throws `validation_failed`. */
const readFinalize = (json: JsonContent): FinalizeBody => {
  const { session_id, content, draft, empty } = parseRequest(finalizeBodySchema, json.fields(), 'body', {
    toError: sessionValidationError,
  });
  const sources = [
    ...(content === undefined ? [] : (['content'] as const)),
    ...(draft === true ? (['draft'] as const) : []),
    ...(empty === true ? (['empty'] as const) : []),
  ];
  const [source, other] = sources;
  if (source === undefined) {
    throw sessionValidationError([
      { field: 'content', expected: 'text, or "draft": true instead', received: 'nothing' },
    ]);
  }
  if (other !== undefined) {
    throw sessionValidationError([{ field: other, expected: `nothing beside ${source}`, received: 'true' }]);
  }
  return { sessionId: session_id, source };
};
