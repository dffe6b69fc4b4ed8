/* The page's requests to its gateway about files (docs/http-api.md). */
import {
  type FileList,
  fileListSchema,
  type TurnFileResponse,
  turnFileResponseSchema,
} from '../../contracts/http/file-api.ts';
import {
  type WriteSessionMessage,
  writeSessionMessageSchema,
  type WriteSessionStatus,
  writeSessionStatusSchema,
  type WriteSessionTarget,
  writeSessionTargetSchema,
} from '../../contracts/http/write-session-api.ts';
import { sendRequest, type GatewayResult } from './gateway-request.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';

/** Reads the entries of a folder of a project; `.` is its root. */
export const listFiles = (fields: {
  readonly projectId: string;
  readonly path: string;
}): Promise<GatewayResult<FileList>> =>
  sendRequest(fileListSchema, 'GET', `/api/files${queryStringOf(fields)}`);

/** Reads the state of an open write session, and the size of the file that it is about to change. */
export const readWriteSessionStatus = (sessionId: string): Promise<GatewayResult<WriteSessionStatus>> =>
  sendRequest(writeSessionStatusSchema, 'GET', `/api/write-session/status/${encodeURIComponent(sessionId)}`);

/** Reads the current file that an open write session is about to change. */
export const readWriteSessionTarget = (sessionId: string): Promise<GatewayResult<WriteSessionTarget>> =>
  sendRequest(writeSessionTargetSchema, 'GET', `/api/write-session/${encodeURIComponent(sessionId)}/target`);

/** Undoes a write session, which gives its file the content from before the session back. */
export const requestSessionUndo = (sessionId: string): Promise<GatewayResult<WriteSessionMessage>> =>
  sendRequest(
    writeSessionMessageSchema,
    'POST',
    `/api/write-session/${encodeURIComponent(sessionId)}/undo`,
    {},
  );

/** Reads the content of a file before a turn and as the turn left it, or the reason why it is not shown. */
export const readTurnFile = ({
  turnId,
  path,
}: {
  turnId: string;
  path: string;
}): Promise<GatewayResult<TurnFileResponse>> =>
  sendRequest(
    turnFileResponseSchema,
    'GET',
    `/api/turns/${encodeURIComponent(turnId)}/changes${queryStringOf({ path })}`,
  );
