import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  beginResponseSchema,
  beginBodySchema,
  draftResponseSchema,
  finalizeResponseSchema,
  finalizeBodySchema,
  sessionReferenceSchema,
  writeSessionListSchema,
  writeSessionMessageSchema,
  writeSessionQuerySchema,
  writeSessionStatusSchema,
  writeSessionTargetSchema,
} from '../../contracts/http/write-session-api.ts';
import { jsonResponse, jsonRequestBody, describeOperation, sessionIdParameter } from './operations.ts';

const rawBody = { required: true, content: { 'text/plain': { schema: z.string() } } };
const writtenResponse = { 200: jsonResponse('The file was written.', finalizeResponseSchema) };
const messageResponse = { 200: jsonResponse('Done.', writeSessionMessageSchema) };
const statusResponse = { 200: jsonResponse('The session is open.', writeSessionStatusSchema) };

/** The routes of write sessions (docs/write-sessions.md). */
export const writeSessionPaths: ZodOpenApiPathsObject = {
  '/api/write-session': {
    get: describeOperation(
      'Lists the open and recent sessions of a project',
      { 200: jsonResponse('Newest first.', writeSessionListSchema) },
      { requestParams: { query: writeSessionQuerySchema } },
    ),
    delete: describeOperation('Cancels a session', messageResponse, {
      requestParams: { query: sessionReferenceSchema.partial() },
      requestBody: { content: { 'application/json': { schema: sessionReferenceSchema } } },
    }),
  },
  '/api/write-session/begin': {
    post: describeOperation(
      'Begins a session, which locks its target file',
      { 200: jsonResponse('The session waits for its content.', beginResponseSchema) },
      { requestBody: jsonRequestBody(beginBodySchema) },
    ),
  },
  '/api/write-session/finalize': {
    post: describeOperation('Writes the content, or the draft, to the target file', writtenResponse, {
      requestBody: jsonRequestBody(finalizeBodySchema),
    }),
  },
  '/api/write-session/{sessionId}/content': {
    put: describeOperation('Writes a raw body to the target file', writtenResponse, {
      requestParams: sessionIdParameter,
      requestBody: rawBody,
    }),
  },
  '/api/write-session/{sessionId}/draft': {
    post: describeOperation(
      'Appends to the draft at an offset',
      { 202: jsonResponse('Stored.', draftResponseSchema) },
      {
        requestParams: {
          ...sessionIdParameter,
          header: z.object({
            'Upload-Offset': z.string().describe('Bytes stored so far, at which this chunk begins.'),
          }),
        },
        requestBody: rawBody,
      },
    ),
  },
  '/api/write-session/status': {
    get: describeOperation('Returns the state of an open session', statusResponse, {
      requestParams: { query: sessionReferenceSchema },
    }),
  },
  '/api/write-session/status/{sessionId}': {
    get: describeOperation('Returns the state of an open session', statusResponse, {
      requestParams: sessionIdParameter,
    }),
  },
  '/api/write-session/{sessionId}/target': {
    get: describeOperation(
      'Returns the target file of an open session as it is now',
      { 200: jsonResponse('Its text, or why it is not shown.', writeSessionTargetSchema) },
      { requestParams: sessionIdParameter },
    ),
  },
  '/api/write-session/{sessionId}': {
    delete: describeOperation('Cancels a session', messageResponse, { requestParams: sessionIdParameter }),
  },
  '/api/write-session/{sessionId}/undo': {
    post: describeOperation('Restores the previous content of the file', messageResponse, {
      requestParams: sessionIdParameter,
    }),
  },
};
