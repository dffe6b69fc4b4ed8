import type { Request } from 'express';
import type { DraftResponse } from '../../contracts/http/write-session-api.ts';
import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';
import { readBody, requireFit, storeBody, withActivityNoted, type ContentIntake } from './content-intake.ts';
import { requireOpen, type RequireSession } from './session-lookup.ts';
import { readUploadOffset } from './session-requests.ts';
import { contentTooLargeError, draftOffsetError, tooManyChunksError } from './write-errors.ts';

/** Adds the body as a chunk to the draft of the session. Rejects with ApiError. */
export const handleDraft = async (
  deps: ContentIntake & { readonly requireSession: RequireSession },
  req: Request,
  session: WriteSessionRow,
): Promise<DraftResponse> => {
  const offset = readUploadOffset(req);
  requireFit(req, deps.maxContentBytes, offset);
  const source = withActivityNoted(deps, req, session, readBody(req));
  const { sessionId } = session;
  const outcome = await storeBody(deps, req, (count) =>
    deps.contents.drafts.append(sessionId, offset, source, async (bytes) => {
      // The session may have ended while the chunk came in. Then only the pruning of the store would remove the chunk.
      requireOpen(await deps.requireSession(req, sessionId));
      await count(bytes);
    }),
  );
  switch (outcome.kind) {
    case 'stored':
      return { offset: outcome.offset };
    case 'offset':
      throw draftOffsetError(outcome.offset);
    case 'too_many':
      throw tooManyChunksError();
    case 'too_large':
      throw contentTooLargeError(deps.maxContentBytes);
    default:
      return outcome satisfies never;
  }
};
