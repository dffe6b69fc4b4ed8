import {
  inputResponseSchema,
  inputListSchema,
  type InputResponse,
  type InputList,
} from '../../contracts/http/input-api.ts';
import { inputNumberOf, turnIdOfInput } from '../../contracts/inputs/input-id.ts';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';
import { jsonPost, type GatewayClient } from './gateway-client.ts';

/**
 * Creates the calls of the routes of input requests (docs/inputs.md "HTTP"). Each throws as `GatewayClient` does.
 */
export const createInputRequestClient = (gateway: GatewayClient) => ({
  find: (inputId: string): Promise<InputResponse> =>
    gateway.requestJson(inputResponseSchema, inputRequestPath(inputId)),
  /** Lists the oldest requests that wait in the project, at most `limit`, oldest first. */
  listOpen: (projectId: string, limit: number): Promise<InputList> =>
    gateway.requestJson(inputListSchema, `/api/inputs${queryStringOf({ projectId, status: 'open', limit })}`),
  reply: (inputId: string, body: ReplyBody): Promise<InputResponse> =>
    gateway.requestJson(inputResponseSchema, inputRequestPath(inputId), jsonPost(body)),
});
/** The requests to the gateway about input requests. */
export type InputRequestClient = ReturnType<typeof createInputRequestClient>;

const inputRequestPath = (inputId: string): string =>
  `/api/turns/${encodeURIComponent(turnIdOfInput(inputId))}/inputs/${inputNumberOf(inputId) ?? 0}`;
