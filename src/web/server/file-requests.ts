/* The page's requests to its gateway about files (docs/http-api.md). */
import {
  type FileList,
  fileListSchema,
  type TurnFileAnswer,
  turnFileAnswerSchema,
} from '../../contracts/http/file-api.ts';
import {
  type WriteSessionMessage,
  writeSessionMessageSchema,
  type WriteSessionStatus,
  writeSessionStatusSchema,
  type WriteSessionTarget,
  writeSessionTargetSchema,
} from '../../contracts/http/write-session-api.ts';
import { ask, type GatewayResult, query } from './gateway-request.ts';

/** Reads the entries of a folder of a project; `.` is its root. */
export const listFiles = (fields: {
  readonly projectId: string;
  readonly path: string;
}): Promise<GatewayResult<FileList>> => ask(fileListSchema, 'GET', `/api/files?${query(fields)}`);

/** Reads the state of an open write session, and the size of the file that it is about to change. */
export const writeSessionStatus = (sessionId: string): Promise<GatewayResult<WriteSessionStatus>> =>
  ask(writeSessionStatusSchema, 'GET', `/api/write-session/status/${encodeURIComponent(sessionId)}`);

/** Reads the file that an open write session is about to change, as it stands. */
export const writeSessionTarget = (sessionId: string): Promise<GatewayResult<WriteSessionTarget>> =>
  ask(writeSessionTargetSchema, 'GET', `/api/write-session/${encodeURIComponent(sessionId)}/target`);

/** Gives the file of a write session back what it held before. */
export const takeBackSession = (sessionId: string): Promise<GatewayResult<WriteSessionMessage>> =>
  ask(writeSessionMessageSchema, 'POST', `/api/write-session/${encodeURIComponent(sessionId)}/undo`, {});

/** Reads one file before a turn and as the turn left it, or why it is not shown. */
export const turnFile = ({
  turnId,
  path,
}: {
  turnId: string;
  path: string;
}): Promise<GatewayResult<TurnFileAnswer>> =>
  ask(turnFileAnswerSchema, 'GET', `/api/turns/${encodeURIComponent(turnId)}/changes?${query({ path })}`);
