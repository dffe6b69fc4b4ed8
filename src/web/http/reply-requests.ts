import {
  type InputResponse,
  inputResponseSchema,
  type InputList,
  inputListSchema,
} from '../../contracts/http/input-api.ts';
import { inputNumberOf, turnIdOfInput } from '../../contracts/inputs/input-id.ts';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import { sendRequest, retryWhileUnavailable, type GatewayResult } from './gateway-request.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';

/** Reads one input request with all of its arguments and its diff. Its event may have only the beginning of both. */
export const readInput = (inputId: string): Promise<GatewayResult<InputResponse>> =>
  retryWhileUnavailable(() => sendRequest(inputResponseSchema, 'GET', inputPath(inputId)));

/** Replies to an input request; the first reply counts, whoever sends it. */
export const replyToInput = (inputId: string, reply: ReplyBody): Promise<GatewayResult<InputResponse>> =>
  retryWhileUnavailable(() => sendRequest(inputResponseSchema, 'POST', inputPath(inputId), reply));

/** Largest number of waiting requests that the page lists. */
const MAX_WAITING = 50;

/** Reads the oldest requests that wait for somebody, in all projects of the key of this browser. */
export const listWaitingInputs = (): Promise<GatewayResult<InputList>> =>
  sendRequest(inputListSchema, 'GET', `/api/inputs${queryStringOf({ status: 'open', limit: MAX_WAITING })}`);

const inputPath = (inputId: string): string =>
  `/api/turns/${encodeURIComponent(turnIdOfInput(inputId))}/inputs/${inputNumberOf(inputId) ?? 0}`;
