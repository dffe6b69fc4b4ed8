import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  beginAnswerSchema,
  beginBodySchema,
  draftAnswerSchema,
  finalizeAnswerSchema,
  finalizeBodySchema,
  sessionReferenceSchema,
  writeSessionListSchema,
  writeSessionMessageSchema,
  writeSessionQuerySchema,
  writeSessionStatusSchema,
} from '../../contracts/http/write-session-api.ts';
import { json, jsonRequestBody, operation, sessionPath } from './operations.ts';

const rawBody = { required: true, content: { 'text/plain': { schema: z.string() } } };
const written = { 200: json('The file was written.', finalizeAnswerSchema) };
const message = { 200: json('Done.', writeSessionMessageSchema) };
const status = { 200: json('The session is open.', writeSessionStatusSchema) };

/** Write sessions (docs/write-sessions.md). */
export const writeSessionPaths: ZodOpenApiPathsObject = {
  '/api/write-session': {
    get: operation(
      'Open and recent sessions of a project',
      { 200: json('Newest first.', writeSessionListSchema) },
      { requestParams: { query: writeSessionQuerySchema } },
    ),
    delete: operation('Cancels a session', message, {
      requestParams: { query: sessionReferenceSchema.partial() },
      requestBody: { content: { 'application/json': { schema: sessionReferenceSchema } } },
    }),
  },
  '/api/write-session/begin': {
    post: operation(
      'Begins a session, which locks its target file',
      { 200: json('The session waits for its content.', beginAnswerSchema) },
      { requestBody: jsonRequestBody(beginBodySchema) },
    ),
  },
  '/api/write-session/finalize': {
    post: operation('Writes the content, or the draft, to the target file', written, {
      requestBody: jsonRequestBody(finalizeBodySchema),
    }),
  },
  '/api/write-session/{sessionId}/content': {
    put: operation('Writes a raw body to the target file', written, {
      requestParams: sessionPath,
      requestBody: rawBody,
    }),
  },
  '/api/write-session/{sessionId}/draft': {
    post: operation(
      'Appends to the draft at an offset',
      { 202: json('Stored.', draftAnswerSchema) },
      {
        requestParams: { ...sessionPath, header: z.object({ 'Upload-Offset': z.string() }) },
        requestBody: rawBody,
      },
    ),
  },
  '/api/write-session/status': {
    get: operation('Where an open session stands', status, {
      requestParams: { query: sessionReferenceSchema },
    }),
  },
  '/api/write-session/status/{sessionId}': {
    get: operation('Where an open session stands', status, { requestParams: sessionPath }),
  },
  '/api/write-session/{sessionId}': {
    delete: operation('Cancels a session', message, { requestParams: sessionPath }),
  },
  '/api/write-session/{sessionId}/undo': {
    post: operation('Puts back what the file held before', message, { requestParams: sessionPath }),
  },
};
