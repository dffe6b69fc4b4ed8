import type { BeginResponse } from '../../contracts/http/write-session-api.ts';
import { detailOf, GatewayRefusedError } from '../http/gateway-failures.ts';
import { withRetries, type RetryOptions } from '../http/retry.ts';
import type { WriteBeginBody, WriteSessionClient } from '../http/write-session-client.ts';

/** Largest number of keys that are tried. A begin hardly ever meets this many sessions that have ended. */
const MAX_KEYS = 100;

export interface BeginUnusedDeps {
  readonly writeSessions: Pick<WriteSessionClient, 'begin'>;
  readonly retry: RetryOptions;
}

/**
 * Begins a write session under the first key `<keyPrefix>:<number>` whose session has not ended, so that every begin
 * with this prefix gets the same open session. Without a key, a repeat after a lost response would find the file locked
 * by the session of the try before. Throws `GatewayUnreachableError` or `GatewayRefusedError`. If the session of such a
 * key has written its file, `endedStageOf` returns `committed` for that error.
 */
export const beginUnused = async (
  { writeSessions, retry }: BeginUnusedDeps,
  request: WriteBeginBody,
  keyPrefix: string,
): Promise<BeginResponse> => {
  for (let number = 1; ; number += 1) {
    try {
      return await withRetries(retry, () => writeSessions.begin(request, `${keyPrefix}:${number}`));
    } catch (error) {
      // A session that ended in any other stage has not written the file, so the next one may.
      const stage = endedStageOf(error);
      if (stage === undefined || stage === 'committed' || number >= MAX_KEYS) throw error;
    }
  }
};

/** Returns the last stage of the session that a call was about, if that is why the gateway has refused the call. */
export const endedStageOf = (error: unknown): string | undefined =>
  error instanceof GatewayRefusedError && error.code === 'session_not_found'
    ? detailOf(error, 'stage')
    : undefined;
