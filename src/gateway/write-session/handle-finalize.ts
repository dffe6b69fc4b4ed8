import type { Request, Response } from 'express';
import type { FinalizeResponse } from '../../contracts/http/write-session-api.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { withActivityNoted, readBody, receiveContent } from './content-intake.ts';
import { receiveFinalizeBody, type ContentToCommit, type FinalizeBodyDeps } from './finalize-body.ts';
import { adoptIdempotencyKey } from './session-requests.ts';
import {
  approvalRequiredError,
  sessionNotFoundError,
  writeFailedError,
  sessionValidationError,
} from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

interface FinalizeDeps extends FinalizeBodyDeps {
  readonly writeSessions: WriteSessionParts['writeSessions'];
}

/**
 * Commits what a JSON body names: its `content`, with `"draft": true` the draft of the session, or with `"empty": true`
 * an empty file. Rejects with ApiError.
 */
export const handleFinalizeJson = async (
  deps: FinalizeDeps,
  req: Request,
  res: Response,
): Promise<FinalizeResponse> => commit(deps, req, res, await receiveFinalizeBody(deps, req));

/** Commits a body that is the content itself. Rejects with ApiError. */
export const handleFinalizeRaw = async (
  deps: FinalizeDeps,
  req: Request,
  res: Response,
  session: WriteSessionRow,
): Promise<FinalizeResponse> => {
  const source = withActivityNoted(deps, req, session, readBody(req));
  const received = await receiveContent(deps, req, { source, findSession: () => Promise.resolve(session) });
  return commit(deps, req, res, received);
};

/**
 * Commits content that is already stored, so a repeat of the request finds it if Temporal cannot be reached. Once the
 * session is committed or has ended, the content is removed here, since it may have come after the end of its session,
 * which then could not remove it.
 */
const commit = async (
  { writeSessions, contents }: FinalizeDeps,
  req: Request,
  res: Response,
  { session, content }: ContentToCommit,
): Promise<FinalizeResponse> => {
  const { sessionId } = session;
  // The same request id with other content is another finalize, and must not get the outcome of the first.
  const updateId = `${adoptIdempotencyKey(req, res)}/${content?.sha256 ?? 'draft'}`;
  req.log.info({ sessionId, bytes: content?.bytes, sha256: content?.sha256 }, 'write session finalized');
  const request = content === undefined ? {} : { content };
  const outcome = await writeSessions.finalize({ sessionId, request, updateId, found: session });
  if (outcome.kind === 'approval_required') throw approvalRequiredError(outcome.inputId);
  // A removal that fails is left to the pruning of the store.
  if (outcome.kind !== 'failed') await contents.forget(sessionId).catch(() => undefined);
  switch (outcome.kind) {
    case 'committed':
      req.log.info({ sessionId, sha256: outcome.content.sha256 }, 'write session committed');
      return toFinalizeResponse(session, outcome.content);
    case 'failed':
      req.log.warn({ sessionId, code: outcome.code, reason: outcome.reason }, 'write session commit failed');
      throw outcome.code === 'write_failed'
        ? writeFailedError(outcome.reason)
        : contentRefusedError(outcome.reason);
    case 'ended':
      throw sessionNotFoundError(outcome.stage);
    case 'not_found':
      throw sessionNotFoundError();
    default:
      return outcome satisfies never;
  }
};

const contentRefusedError = (reason: string) =>
  sessionValidationError([{ field: 'content', expected: 'text to write', received: reason }], reason);

const toFinalizeResponse = (
  { input, operation, targetFile }: WriteSessionRow,
  { bytes, lines, sha256 }: ContentRef,
): FinalizeResponse => {
  const written = { operation_index: 0, type: operation, target_file: targetFile, bytes, lines, sha256 };
  return { intent: input.intent, results: [{ ...written, status: 'success', error: null }] };
};
