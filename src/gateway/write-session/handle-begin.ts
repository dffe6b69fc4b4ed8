import type { Request } from 'express';
import type { BeginResponse, BeginBody } from '../../contracts/http/write-session-api.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { describeConflict } from '../../write-session-service/describe-conflict.ts';
import { accessOf, requireProject, isVisible } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { requireOpen } from './session-lookup.ts';
import { readBegin, newSessionIdFor } from './session-requests.ts';
import { sessionConflictError, sessionValidationError } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/**
 * Begins the session that the request asks for, or finds the one that an earlier begin with the same `Idempotency-Key`
 * began. Rejects with ApiError.
 */
export const handleBegin = async (
  { writeSessions }: Pick<WriteSessionParts, 'writeSessions'>,
  req: Request,
): Promise<BeginResponse> => {
  const body = readBegin(req);
  const { projectId, operation, intent, target_file: targetFile } = body;
  requireProject(req, projectId);
  const sessionId = newSessionIdFor(req, projectId);
  const owner = accessOf(req).name;
  const outcome = await writeSessions.begin({ sessionId, projectId, targetFile, operation, intent, owner });
  switch (outcome.kind) {
    case 'begun':
      requireSameBegin(requireOpen(outcome.row), body);
      req.log.info({ sessionId, projectId, targetFile, operation }, 'write session started');
      return toBeginResponse(outcome.row, outcome.expiresAt);
    case 'conflict':
      throw sessionConflictError(describeConflict(outcome, (project) => isVisible(req, project)));
    case 'invalid':
      throw sessionValidationError(
        [{ field: 'target_file', expected: 'a path that may be written', received: outcome.reason }],
        outcome.reason,
      );
    default:
      return outcome satisfies never;
  }
};

/** Throws `idempotency_conflict` if the session was begun by a different begin with the same `Idempotency-Key`. */
const requireSameBegin = (row: WriteSessionRow, body: BeginBody): void => {
  const { targetFile, operation, input } = row;
  const isSame =
    targetFile === body.target_file && operation === body.operation && input.intent === body.intent;
  if (isSame) return;
  throw new ApiError('idempotency_conflict', 'This Idempotency-Key belongs to a different begin.');
};

const toBeginResponse = (row: WriteSessionRow, expiresAt: number): BeginResponse => ({
  session_id: row.sessionId,
  stage: row.stage,
  instruction: WRITE_SESSION_TEXTS.instruction,
  target_file: row.targetFile,
  operation: row.operation,
  expires_at: new Date(expiresAt).toISOString(),
});
