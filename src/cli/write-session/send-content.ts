import { openAsBlob } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { errorMessage } from '../../contracts/values/error-message.ts';
import type { FinalizeResponse } from '../../contracts/http/write-session-api.ts';
import { EXIT } from '../process/exit-codes.ts';
import { withRetries, type RetryOptions } from '../http/retry.ts';
import type { WriteSessionClient } from '../http/write-session-client.ts';
import { finalizeFailure, type WriteFailure } from './write-failure.ts';

/**
 * The result of a finalize. `done` without a response means that an earlier try, or somebody else, has written the
 * file.
 */
export type FinalizeResult =
  | { readonly kind: 'done'; readonly response: FinalizeResponse | undefined }
  | { readonly kind: 'failed'; readonly failure: WriteFailure };

interface SendContentDeps {
  readonly writeSessions: WriteSessionClient;
  readonly retry: RetryOptions;
}

/** Finalizes a session with the content of a file, which is streamed. Returns refusals and outages as failures. */
export const finalizeWithFile = async (
  { writeSessions, retry }: SendContentDeps,
  sessionId: string,
  path: string,
): Promise<FinalizeResult> => {
  const problem = await findReadProblem(path);
  if (problem !== undefined) {
    const line = `Cannot read ${path}: ${problem}`;
    return { kind: 'failed', failure: { kind: 'refused', line, exitCode: EXIT.failed } };
  }
  const content = await openAsBlob(path);
  return finalizeWithRetries(retry, () => writeSessions.putContent(sessionId, content));
};

/**
 * Returns why a file cannot be sent, or undefined. This is checked first, because a folder would fail within the
 * request and look like a gateway that is away.
 */
const findReadProblem = async (path: string): Promise<string | undefined> => {
  try {
    if (!(await stat(path)).isFile()) return 'it is not a regular file. What a pipe holds can come by stdin.';
    await access(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
};

/** Finalizes a session with the draft that is stored for it. Returns refusals and outages like `finalizeWithFile`. */
export const finalizeStoredDraft = async (
  { writeSessions, retry }: SendContentDeps,
  sessionId: string,
): Promise<FinalizeResult> => {
  const result = await finalizeWithRetries(retry, () => writeSessions.finalizeDraft(sessionId));
  // A session that was committed before counts as done, because no content other than the draft can have been meant.
  const isWritten = result.kind === 'failed' && result.failure.stage === 'committed';
  return isWritten ? { kind: 'done', response: undefined } : result;
};

const finalizeWithRetries = async (
  retry: RetryOptions,
  call: () => Promise<FinalizeResponse>,
): Promise<FinalizeResult> => {
  try {
    return { kind: 'done', response: await withRetries(retry, call) };
  } catch (error) {
    return { kind: 'failed', failure: finalizeFailure(error) };
  }
};
