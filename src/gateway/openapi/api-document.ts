import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import { apiErrorSchema } from '../../contracts/http/errors.ts';
import { conversationListSchema, turnListSchema } from '../../contracts/http/conversation-api.ts';
import { inputResponseSchema, inputListSchema } from '../../contracts/http/input-api.ts';
import { messageListSchema } from '../../contracts/http/message-api.ts';
import {
  turnAcceptedSchema,
  turnCancelResponseSchema,
  turnUndoResponseSchema,
  turnStatusResponseSchema,
} from '../../contracts/http/turn-api.ts';
import {
  beginResponseSchema,
  draftResponseSchema,
  finalizeResponseSchema,
  writeSessionListSchema,
  writeSessionStatusSchema,
} from '../../contracts/http/write-session-api.ts';
import { traceListSchema, traceQuerySchema } from '../../contracts/http/trace-api.ts';
import { compatibleFrameSchema } from '../../contracts/http/compatible-frames.ts';
import { toolOutputSchema } from '../../contracts/wire/tool-output.ts';
import { turnEventSchema } from '../../contracts/wire/turn-event.ts';
import { chatPaths } from './chat-paths.ts';
import { inputPaths } from './input-paths.ts';
import { operationsPaths } from './operations-paths.ts';
import { TAGS, withOperationNames } from './operation-names.ts';
import { writeSessionPaths } from './write-session-paths.ts';
import { jsonResponse, describeOperation } from './operations.ts';

/** The route of the traces of a project (docs/storage.md "Traces"). */
const tracePaths: ZodOpenApiPathsObject = {
  '/api/trace/logs': {
    get: describeOperation(
      'Returns a window of trace events, oldest first',
      {
        200: jsonResponse(
          'The newest `limit` events after skipping `offset` from the newest.',
          traceListSchema,
        ),
      },
      { requestParams: { query: traceQuerySchema } },
    ),
  },
};

/** The description of the API that `GET /openapi.json` returns. */
export type ApiDocument = ReturnType<typeof createDocument>;

/**
 * Creates the OpenAPI 3.1 description of the gateway (docs/http-api.md). It is made from the schemas with which the
 * gateway validates, so it says what is really checked. Aliases of fields are left out: they are for old clients.
 * Throws Error for an operation without a name.
 */
export const createApiDocument = (): ApiDocument =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Orion',
      // The API has had one form so far. The version of Orion is another number, which `GET /api/info` returns.
      version: '1',
      description: 'Durable agent chat: turns over server-sent events, and write sessions for long files.',
      license: { name: 'All rights reserved', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this description.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: withOperationNames({
      ...chatPaths,
      ...inputPaths,
      ...writeSessionPaths,
      ...tracePaths,
      ...operationsPaths,
    }),
    components: {
      schemas: SCHEMAS,
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    // A gateway without a file of keys requires none.
    security: [{}, { key: [] }],
  });

/** Schemas of the API, by the names that their types have in generated clients. */
const SCHEMAS = {
  Error: apiErrorSchema,
  TurnEvent: turnEventSchema,
  ToolOutput: toolOutputSchema,
  CompatibleFrame: compatibleFrameSchema,
  MessageList: messageListSchema,
  ConversationList: conversationListSchema,
  TurnList: turnListSchema,
  TurnAccepted: turnAcceptedSchema,
  TurnStatus: turnStatusResponseSchema,
  TurnCancelled: turnCancelResponseSchema,
  TurnUndone: turnUndoResponseSchema,
  InputAnswer: inputResponseSchema,
  InputList: inputListSchema,
  TraceList: traceListSchema,
  WriteSessionBegun: beginResponseSchema,
  WriteSessionDraft: draftResponseSchema,
  WriteSessionWritten: finalizeResponseSchema,
  WriteSessionList: writeSessionListSchema,
  WriteSessionStatus: writeSessionStatusSchema,
};
