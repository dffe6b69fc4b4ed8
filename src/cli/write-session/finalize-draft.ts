import type { FinalizeResponse } from '../../contracts/http/write-session-api.ts';
import type { WriteSessionClient } from '../http/write-session-client.ts';

const ASK_INTERVAL_MS = 100;
/**
 * Time in milliseconds to wait for the draft. The turn stores it right after its event that the text is complete, so
 * waiting longer does not help.
 */
const MAX_WAIT_MS = 10_000;

/** Thrown when a part of the draft is still not stored. Nothing was committed. */
export class IncompleteDraftError extends Error {
  override readonly name = 'IncompleteDraftError';

  constructor(storedBytes: number, bytes: number) {
    super(`The file was not written: only ${storedBytes} of ${bytes} bytes of its text are stored.`);
  }
}

/** A session whose draft is complete and is to be committed. */
export interface DraftFinalize {
  readonly client: Pick<WriteSessionClient, 'readStatus' | 'finalizeDraft'>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly sessionId: string;
  /** Size of the complete text in bytes. */
  readonly bytes: number;
  /** Returns true once the turn has reported the end of the session, after which nothing is left to do. */
  readonly isSettled: () => boolean;
}

/**
 * Commits the draft of a turn's session once the whole text is stored. The event that the text is complete may come
 * before that, so this waits for the draft. Returns undefined if the turn has reported the end of the session
 * meanwhile. Throws as `GatewayClient` does, and IncompleteDraftError when the draft is not whole after
 * `MAX_WAIT_MS`, because a part of a text must not replace a file.
 */
export const finalizeDraft = async (draft: DraftFinalize): Promise<FinalizeResponse | undefined> => {
  const { client, sleep, sessionId, bytes, isSettled } = draft;
  let storedBytes = 0;
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += ASK_INTERVAL_MS) {
    if (isSettled()) return undefined;
    storedBytes = (await client.readStatus(sessionId)).draft_bytes;
    if (storedBytes === bytes) return isSettled() ? undefined : client.finalizeDraft(sessionId);
    await sleep(ASK_INTERVAL_MS);
  }
  throw new IncompleteDraftError(storedBytes, bytes);
};
