import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  inputResponseSchema,
  inputListSchema,
  inputNewsFrameSchema,
  inputQuerySchema,
} from '../../contracts/http/input-api.ts';
import { turnMessageResponseSchema, turnMessageBodySchema } from '../../contracts/http/steer-api.ts';
import { replyBodySchema } from '../../contracts/inputs/reply.ts';
import { jsonResponse, jsonRequestBody, describeOperation } from './operations.ts';

const inputPath = {
  path: z.object({
    turnId: z.string(),
    n: z.string().describe('Number of the request in its turn: 1, 2, …'),
  }),
};

/** The routes of input requests, and of messages into turns (docs/inputs.md). */
export const inputPaths: ZodOpenApiPathsObject = {
  '/api/inputs': {
    get: describeOperation(
      'Lists input requests, open and closed ones, oldest first',
      { 200: jsonResponse('A page of input requests.', inputListSchema) },
      { requestParams: { query: inputQuerySchema } },
    ),
  },
  '/api/inputs/news': {
    get: describeOperation(
      'Streams a notice at once, and whenever the list of input requests may have changed',
      {
        200: {
          description: 'Server-sent events without names and ids; `data` of each is this frame.',
          content: { 'text/event-stream': { schema: inputNewsFrameSchema } },
        },
      },
    ),
  },
  '/api/turns/{turnId}/inputs/{n}': {
    get: describeOperation(
      'Returns one input request, with all of its arguments and its diff',
      { 200: jsonResponse('The request.', inputResponseSchema) },
      { requestParams: inputPath },
    ),
    post: describeOperation(
      'Replies to an input request; the first reply counts, and repeating it is safe',
      { 200: jsonResponse('The request, resolved.', inputResponseSchema) },
      { requestParams: inputPath, requestBody: jsonRequestBody(replyBodySchema) },
    ),
  },
  '/api/turns/{turnId}/messages': {
    post: describeOperation(
      'Sends a message into a running turn; repeating the same messageId is safe',
      { 202: jsonResponse('The turn has it.', turnMessageResponseSchema) },
      {
        requestParams: { path: z.object({ turnId: z.string() }) },
        requestBody: jsonRequestBody(turnMessageBodySchema),
      },
    ),
  },
};
