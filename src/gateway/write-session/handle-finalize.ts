import type { Request, Response } from 'express';
import { finalizeBodySchema, type FinalizeResponse } from '../../contracts/http/write-session-api.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { parseRequest } from '../requests/validation.ts';
import {
  withActivityNoted,
  readBody,
  withDiskErrors,
  receiveContent,
  type ContentIntake,
} from './content-intake.ts';
import { JsonContent } from './json-content.ts';
import type { RequireSession } from './session-lookup.ts';
import { adoptIdempotencyKey } from './session-requests.ts';
import {
  approvalRequired,
  blankContent,
  sessionNotFound,
  writeFailure,
  writeInvalid,
} from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

interface FinalizeDeps extends Pick<WriteSessionParts, 'writeSessions'>, ContentIntake {
  readonly requireSession: RequireSession;
}

/**
 * Commits what a JSON body names: its `content`, with `"draft": true` the draft of the session, or with `"empty": true`
 * an empty file. Rejects with ApiError.
 */
export const handleFinalizeJson = async (
  deps: FinalizeDeps,
  req: Request,
  res: Response,
): Promise<FinalizeResponse> => {
  const json = new JsonContent();
  const pieces = contentOf(json, readBody(req));
  try {
    const first = await pieces.next();
    return await commit(
      deps,
      req,
      res,
      first.done === true
        ? await withoutContent(deps, req, json)
        : await takeRest(deps, req, json, first.value, pieces),
    );
  } finally {
    // While a body is being iterated, `drainBody` cannot read the rest, which would hold up the connection.
    await pieces.return(undefined);
  }
};

/** Returns what a body without content commits: the draft or an empty file. */
const withoutContent = async (
  deps: FinalizeDeps,
  req: Request,
  json: JsonContent,
): Promise<CommitRequest> => {
  const { sessionId, source } = readFinalize(json);
  if (source === 'content') throw blankContent();
  const session = await deps.requireSession(req, sessionId);
  if (source === 'draft') return { session, content: undefined };
  return { session, content: await withDiskErrors(deps.contents.putEmpty(session.sessionId)) };
};

/**
 * Takes in the content of a body. If the body names its session before the content, the session is looked up first. The
 * body may then be refused before any content is taken, and its chunks keep the session alive. If it names the session
 * after the content, as programs that sort their fields do, the session is looked up before the content is kept.
 */
const takeRest = async (
  deps: FinalizeDeps,
  req: Request,
  json: JsonContent,
  first: Uint8Array,
  pieces: AsyncIterable<Uint8Array>,
): Promise<CommitRequest> => {
  const early = earlySessionId(json);
  let session = early === undefined ? undefined : await deps.requireSession(req, early);
  const all = startingWith(first, pieces);
  const content = await receiveContent(deps, req, {
    source: session ? withActivityNoted(deps, req, session, all) : all,
    session: async () => (session = await deps.requireSession(req, readFinalize(json).sessionId)),
  });
  if (session === undefined) throw new Error('content was stored for no session');
  return { session, content };
};

const startingWith = async function* <T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
};

/** Commits a body that is the content itself. Rejects with ApiError. */
export const handleFinalizeRaw = async (
  deps: FinalizeDeps,
  req: Request,
  res: Response,
  session: WriteSessionRow,
): Promise<FinalizeResponse> => {
  const source = withActivityNoted(deps, req, session, readBody(req));
  const content = await receiveContent(deps, req, { source, session: () => Promise.resolve(session) });
  return commit(deps, req, res, { session, content });
};

interface CommitRequest {
  readonly session: WriteSessionRow;
  /** The content to commit. Undefined means the draft of the session. */
  readonly content: ContentRef | undefined;
}

/**
 * Commits content that is already stored, so a repeat of the request finds it if Temporal cannot be reached. Once the
 * session is committed or has ended, the content is removed here, since it may have come after the end of its session,
 * which then could not remove it.
 */
const commit = async (
  { writeSessions, contents }: FinalizeDeps,
  req: Request,
  res: Response,
  { session, content }: CommitRequest,
): Promise<FinalizeResponse> => {
  const { sessionId } = session;
  // The same request id with other content is another finalize, and must not get the outcome of the first.
  const updateId = `${adoptIdempotencyKey(req, res)}/${content?.sha256 ?? 'draft'}`;
  req.log.info({ sessionId, bytes: content?.bytes, sha256: content?.sha256 }, 'write session finalized');
  const request = content === undefined ? {} : { content };
  const outcome = await writeSessions.finalize({ sessionId, request, updateId, found: session });
  if (outcome.kind === 'approval_required') throw approvalRequired(outcome.inputId);
  // A removal that fails is left to the pruning of the store.
  if (outcome.kind !== 'failed') await contents.forget(sessionId).catch(() => undefined);
  switch (outcome.kind) {
    case 'committed':
      req.log.info({ sessionId, sha256: outcome.content.sha256 }, 'write session committed');
      return toFinalizeResponse(session, outcome.content);
    case 'failed':
      req.log.warn({ sessionId, code: outcome.code, reason: outcome.reason }, 'write session commit failed');
      throw outcome.code === 'write_failed' ? writeFailure(outcome.reason) : refusedContent(outcome.reason);
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

const toFinalizeResponse = (
  { input, operation, targetFile }: WriteSessionRow,
  { bytes, lines, sha256 }: ContentRef,
): FinalizeResponse => {
  const written = { operation_index: 0, type: operation, target_file: targetFile, bytes, lines, sha256 };
  return { intent: input.intent, results: [{ ...written, status: 'success', error: null }] };
};

/** Yields the decoded content of a JSON body. When it ends, the body has been read to its end. Throws ApiError. */
const contentOf = async function* (
  json: JsonContent,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield* json.take(chunk);
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
    refuse: writeInvalid,
  });
  const sources = [
    ...(content === undefined ? [] : (['content'] as const)),
    ...(draft === true ? (['draft'] as const) : []),
    ...(empty === true ? (['empty'] as const) : []),
  ];
  const [source, other] = sources;
  if (source === undefined) {
    throw writeInvalid([
      { field: 'content', expected: 'text, or "draft": true instead', received: 'nothing' },
    ]);
  }
  if (other !== undefined) {
    throw writeInvalid([{ field: other, expected: `nothing beside ${source}`, received: 'true' }]);
  }
  return { sessionId: session_id, source };
};
