import {
  beginResponseSchema,
  draftResponseSchema,
  finalizeResponseSchema,
  writeSessionListSchema,
  writeSessionMessageSchema,
  writeSessionStatusSchema,
  type BeginResponse,
  type FinalizeResponse,
} from '../../contracts/http/write-session-api.ts';
import type { WriteOperation } from '../../contracts/write-session/write-session.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';
import { jsonPost, type GatewayClient } from './gateway-client.ts';

const ROOT_PATH = '/api/write-session';

const TEXT_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8' };

/** The body of the request that begins a write session. */
export interface WriteBeginBody {
  readonly projectId: string;
  readonly target_file: string;
  readonly operation: WriteOperation;
  readonly intent?: string;
}

/**
 * Creates the calls of the routes of write sessions (docs/write-sessions.md). Each throws as `GatewayClient` does.
 */
export const createWriteSessionClient = (gateway: GatewayClient) => ({
  /** Begins a session, or returns the one that an earlier begin with the same `idempotencyKey` has begun. */
  begin: (request: WriteBeginBody, idempotencyKey: string): Promise<BeginResponse> =>
    gateway.requestJson(
      beginResponseSchema,
      `${ROOT_PATH}/begin`,
      jsonPost(request, { 'Idempotency-Key': idempotencyKey }),
    ),
  /** Commits the draft, which the turn or earlier calls of `addDraft` have stored. */
  finalizeDraft: (sessionId: string): Promise<FinalizeResponse> =>
    gateway.requestJson(
      finalizeResponseSchema,
      `${ROOT_PATH}/finalize`,
      jsonPost({ session_id: sessionId, draft: true }),
    ),
  /** Commits `content`, which is sent as it is, so that no escaping is needed. */
  putContent: (sessionId: string, content: NonNullable<RequestInit['body']>): Promise<FinalizeResponse> =>
    gateway.requestJson(finalizeResponseSchema, `${sessionPath(sessionId)}/content`, {
      method: 'PUT',
      headers: TEXT_HEADERS,
      body: content,
      // `fetch` requires this if the body is a stream. It does no harm for other bodies.
      duplex: 'half',
    }),
  /** Adds `chunk` to the draft, which has `offset` bytes so far. */
  addDraft: (sessionId: string, offset: number, chunk: Uint8Array<ArrayBuffer>) =>
    gateway.requestJson(draftResponseSchema, `${sessionPath(sessionId)}/draft`, {
      method: 'POST',
      headers: { ...TEXT_HEADERS, 'Upload-Offset': String(offset) },
      body: chunk,
    }),
  readStatus: (sessionId: string) =>
    gateway.requestJson(writeSessionStatusSchema, `${ROOT_PATH}/status/${encodeURIComponent(sessionId)}`),
  cancel: (sessionId: string) =>
    gateway.requestJson(writeSessionMessageSchema, sessionPath(sessionId), { method: 'DELETE' }),
  undo: (sessionId: string) =>
    gateway.requestJson(writeSessionMessageSchema, `${sessionPath(sessionId)}/undo`, { method: 'POST' }),
  list: (projectId: string) =>
    gateway.requestJson(writeSessionListSchema, `${ROOT_PATH}${queryStringOf({ projectId })}`),
});
/** The requests to the gateway about write sessions. */
export type WriteSessionClient = ReturnType<typeof createWriteSessionClient>;

const sessionPath = (sessionId: string): string => `${ROOT_PATH}/${encodeURIComponent(sessionId)}`;
