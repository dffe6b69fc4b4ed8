import type { Request } from 'express';
import type { DraftAnswer } from '../../contracts/http/write-sessions.ts';
import type { WriteSessionRow } from '../../db/write-session-row.ts';
import { ownerOf } from '../access/owner-of.ts';
import { requireFit, storing, withRoom } from './content-intake.ts';
import { noting, type FinalizeDeps } from './finalize-session.ts';
import { readBody } from './request-body.ts';
import { readUploadOffset } from './session-requests.ts';
import { contentTooLarge, draftOffset, tooManyChunks } from './write-errors.ts';
import type { WriteSessionParts } from './write-session-parts.ts';

/** Adds a chunk to the session's draft. Throws ApiError. */
export const appendDraft = async (
  deps: Pick<WriteSessionParts, 'contents' | 'maxContentBytes'> &
    Pick<FinalizeDeps, 'noteActivity' | 'storage'>,
  req: Request,
  session: WriteSessionRow,
): Promise<DraftAnswer> => {
  const offset = readUploadOffset(req);
  requireFit(req, deps.maxContentBytes, offset);
  const source = noting(deps, req, session, readBody(req));
  const admit = async (bytes: number) => ({ giveBack: await deps.storage.count(ownerOf(req), bytes) });
  const outcome = await withRoom(deps, req, () =>
    storing(deps.contents.drafts.append(session.sessionId, offset, source, admit)),
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
