import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { turnFileResponseSchema, turnFileQuerySchema } from '../../contracts/http/file-api.ts';
import {
  conversationResponseSchema,
  conversationListSchema,
  conversationPageSchema,
  conversationQuerySchema,
  conversationTitleSchema,
  renamedConversationSchema,
  turnListSchema,
  turnQuerySchema,
} from '../../contracts/http/conversation-api.ts';
import {
  chatMessageSchema,
  messageListSchema,
  messageQuerySchema,
} from '../../contracts/http/message-api.ts';
import {
  nextPromptResponseSchema,
  nextPromptQuerySchema,
  sentPromptResponseSchema,
  sentPromptQuerySchema,
} from '../../contracts/http/prompt-api.ts';
import {
  eventsQuerySchema,
  messageBodySchema,
  turnAcceptedSchema,
  turnCancelResponseSchema,
  turnStatusResponseSchema,
  turnUndoResponseSchema,
  turnOptionsSchema,
} from '../../contracts/http/turn-api.ts';
import {
  compatibleStream,
  deliveredResponse,
  jsonResponse,
  jsonRequestBody,
  eitherStream,
  describeOperation,
  resumeParameters,
  turnIdParameter,
} from './operations.ts';

const conversationPath = { path: z.object({ conversationId: z.string() }) };
const idempotencyHeader = z.object({
  'Idempotency-Key': z.string().optional().describe('The id of the turn, if the body has no `requestId`.'),
});
const storedResponse = {
  201: jsonResponse('A message of `orion` or `system` was stored.', chatMessageSchema),
};

/**
 * Body of a message in which the fields of `metadata` are described that the gateway reads. Its other fields are only
 * stored.
 */
const describedBody = messageBodySchema.extend({
  metadata: turnOptionsSchema
    .loose()
    .optional()
    .describe('Data that is stored with the message. These of its fields are options of the turn.'),
});

const describeMessageOperation = (summary: string) =>
  describeOperation(
    summary,
    { 200: compatibleStream, ...storedResponse, ...deliveredResponse },
    {
      requestParams: {
        header: idempotencyHeader.extend(resumeParameters.header.shape),
        query: resumeParameters.query,
      },
      requestBody: jsonRequestBody(describedBody),
    },
  );

/** The routes of conversations and turns (docs/http-api.md). */
export const chatPaths: ZodOpenApiPathsObject = {
  '/api/chat/messages': {
    post: describeMessageOperation('Starts a turn and streams it'),
    get: describeOperation(
      'Lists the messages of a conversation or project, newest first',
      { 200: jsonResponse('A page of messages.', messageListSchema) },
      { requestParams: { query: messageQuerySchema } },
    ),
  },
  '/api/chat/messages_two_stage': {
    post: describeMessageOperation('Starts a two-stage turn and streams it'),
  },
  '/api/conversations': {
    get: describeOperation(
      'Lists the conversations of a project, most recently used first',
      { 200: jsonResponse('A page of conversations.', conversationListSchema) },
      { requestParams: { query: conversationQuerySchema } },
    ),
  },
  '/api/conversations/{conversationId}': {
    get: describeOperation(
      'Returns a conversation as a tree of turns, oldest first',
      { 200: jsonResponse('Title and a page of turns.', conversationResponseSchema) },
      { requestParams: { ...conversationPath, query: conversationPageSchema } },
    ),
    patch: describeOperation(
      'Sets the title of a conversation',
      { 200: jsonResponse('The title is stored.', renamedConversationSchema) },
      {
        requestParams: { ...conversationPath, query: conversationPageSchema.pick({ projectId: true }) },
        requestBody: jsonRequestBody(conversationTitleSchema),
      },
    ),
    delete: describeOperation(
      'Deletes a conversation with all its messages, turns and traces',
      { 204: { description: 'It is removed.' } },
      { requestParams: { ...conversationPath, query: conversationPageSchema.pick({ projectId: true }) } },
    ),
  },
  '/api/conversations/{conversationId}/context': {
    get: describeOperation(
      'Returns what the next turn would send to the model, without tools and secrets',
      { 200: jsonResponse('A page of the messages, with the tokens of all.', nextPromptResponseSchema) },
      { requestParams: { ...conversationPath, query: nextPromptQuerySchema } },
    ),
  },
  '/api/turns': {
    get: describeOperation(
      'Lists the turns of a project or conversation, newest first',
      { 200: jsonResponse('A page of turns.', turnListSchema) },
      { requestParams: { query: turnQuerySchema } },
    ),
    post: describeOperation(
      'Starts a turn',
      { 202: jsonResponse('The turn is stored and runs.', turnAcceptedSchema), ...storedResponse },
      { requestParams: { header: idempotencyHeader }, requestBody: jsonRequestBody(describedBody) },
    ),
  },
  '/api/turns/{turnId}': {
    get: describeOperation(
      'Returns the state of a turn, or how it ended',
      { 200: jsonResponse('The turn.', turnStatusResponseSchema) },
      { requestParams: turnIdParameter },
    ),
  },
  '/api/turns/{turnId}/events': {
    get: describeOperation(
      'Streams the events of a turn, from the first one or after an id',
      { 200: eitherStream, ...deliveredResponse },
      {
        requestParams: {
          ...turnIdParameter,
          header: resumeParameters.header,
          query: resumeParameters.query.extend(eventsQuerySchema.shape),
        },
      },
    ),
  },
  '/api/turns/{turnId}/cancel': {
    post: describeOperation(
      'Cancels a turn; what the model has said so far is kept',
      {
        200: jsonResponse('The turn had ended before.', turnCancelResponseSchema),
        202: jsonResponse('The turn is being cancelled.', turnCancelResponseSchema),
      },
      { requestParams: turnIdParameter },
    ),
  },
  '/api/turns/{turnId}/changes': {
    get: describeOperation(
      'Returns one file as it was before a turn and as the turn left it',
      { 200: jsonResponse('Both texts, or why they are not told.', turnFileResponseSchema) },
      { requestParams: { ...turnIdParameter, query: turnFileQuerySchema } },
    ),
  },
  '/api/turns/{turnId}/prompts/{step}': {
    get: describeOperation(
      'Returns what a model call of a turn was sent, without tools and secrets',
      { 200: jsonResponse('A page of the messages, with the tokens of all.', sentPromptResponseSchema) },
      {
        requestParams: {
          path: turnIdParameter.path.extend({
            step: z.string().describe('Number of the model call in its turn: 1, 2, …'),
          }),
          query: sentPromptQuerySchema,
        },
      },
    ),
  },
  '/api/turns/{turnId}/undo': {
    post: describeOperation(
      'Undoes the changes that an ended turn made to files',
      { 200: jsonResponse('What became of each file.', turnUndoResponseSchema) },
      { requestParams: turnIdParameter },
    ),
  },
};
