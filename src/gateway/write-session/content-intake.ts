import type { Request } from 'express';
import type { ContentRef } from '../../contracts/write-session.ts';
import type { WriteSessionRow } from '../../db/write-session-row.ts';
import type { AdmittedOutcome, ContentStore } from '../../files/content-store/content-store.ts';
import { classifyFileError, WorkspaceError } from '../../files/workspace/workspace-error.ts';
import { ownerOf } from '../access/owner-of.ts';
import { ApiError } from '../errors/api-error.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';
import { blankContent, contentTooLarge, invalidBytes, writeFailed } from './write-errors.ts';

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
export const withRoom = <T>(
  { storage, maxContentBytes }: { readonly storage: StorageLimits; readonly maxContentBytes: number },
  req: Request,
  store: () => Promise<T>,
): Promise<T> => {
  const announced = Math.min(announcedBytes(req) ?? maxContentBytes, maxContentBytes);
  return storage.receiving(ownerOf(req), announced, store);
};

export interface Intake {
  readonly contents: Pick<ContentStore, 'putAdmitted' | 'putEmpty'>;
  readonly storage: StorageLimits;
  readonly maxContentBytes: number;
}

/** What comes in, and the session it is for, which may be known only at the end of the body. */
export interface IncomingContent {
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
  const admit = async ({ bytes }: ContentRef): Promise<boolean> => {
    // An ended session is answered from its row, by the hash alone.
    if ((await session()).state === 'ended') return false;
    await storage.count(ownerOf(req), bytes);
    return true;
  };
  const outcome = await withRoom({ storage, maxContentBytes }, req, () =>
    storing(contents.putAdmitted(source, admit)),
  );
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
