import type { Request } from 'express';
import type { ContentRef } from '../../contracts/write-session.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ContentStore, PutOutcome } from '../../tools/content-store/content-store.ts';
import { classifyFileError, WorkspaceError } from '../../tools/workspace/workspace-error.ts';
import { blankContent, contentTooLarge, invalidBytes, writeFailed } from './write-errors.ts';

/** Refuses by its `Content-Length` what cannot fit behind the first `offset` bytes. */
export const requireFit = (req: Request, maxBytes: number, offset = 0): void => {
  if (offset + Number(req.headers['content-length'] ?? 0) > maxBytes) throw contentTooLarge();
};

/** Stores content while it comes in; resolves when it is on disk. Throws ApiError. */
export const takeContent = async (
  contents: Pick<ContentStore, 'put'>,
  source: AsyncIterable<Uint8Array>,
): Promise<ContentRef> => {
  const outcome = await storing(contents.put(source));
  if (outcome.kind === 'stored') return outcome.content;
  throw refusal(outcome);
};

const refusal = (outcome: Exclude<PutOutcome, { kind: 'stored' }>): ApiError => {
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
