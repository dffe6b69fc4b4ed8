import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  conversationListSchema,
  conversationQuerySchema,
  turnListSchema,
  turnQuerySchema,
} from '../../contracts/http/conversation-api.ts';
import {
  chatMessageSchema,
  messageListSchema,
  messageQuerySchema,
} from '../../contracts/http/message-api.ts';
import {
  eventsQuerySchema,
  messageBodySchema,
  turnAcceptedSchema,
  turnCancelAnswerSchema,
  turnStatusAnswerSchema,
  turnUndoAnswerSchema,
  turnOptionsSchema,
} from '../../contracts/http/turn-api.ts';
import {
  compatibleStream,
  delivered,
  json,
  jsonRequestBody,
  eitherStream,
  operation,
  resume,
  turnPath,
} from './operations.ts';

const idempotency = z.object({ 'Idempotency-Key': z.string().optional() });
const stored = { 201: json('A message of `orion` or `system` was stored.', chatMessageSchema) };

/** `metadata` is kept as it comes; these are its fields that mean something to the gateway. */
const describedBody = messageBodySchema.extend({ metadata: turnOptionsSchema.loose().optional() });

const posted = (summary: string) =>
  operation(
    summary,
    { 200: compatibleStream, ...stored, ...delivered },
    {
      requestParams: { header: idempotency.extend(resume.header.shape), query: resume.query },
      requestBody: jsonRequestBody(describedBody),
    },
  );

/** Conversations and turns (docs/http-api.md). */
export const chatPaths: ZodOpenApiPathsObject = {
  '/api/chat/messages': {
    post: posted('Starts a turn and streams it'),
    get: operation(
      'Messages of a conversation or project, newest first',
      { 200: json('A page of messages.', messageListSchema) },
      { requestParams: { query: messageQuerySchema } },
    ),
  },
  '/api/chat/messages_two_stage': { post: posted('Starts a two-stage turn and streams it') },
  '/api/conversations': {
    get: operation(
      'Conversations of a project, those spoken in last first',
      { 200: json('A page of conversations.', conversationListSchema) },
      { requestParams: { query: conversationQuerySchema } },
    ),
  },
  '/api/turns': {
    get: operation(
      'Turns of a project or conversation, newest first',
      { 200: json('A page of turns.', turnListSchema) },
      { requestParams: { query: turnQuerySchema } },
    ),
    post: operation(
      'Starts a turn',
      { 202: json('The turn is stored and runs.', turnAcceptedSchema), ...stored },
      { requestParams: { header: idempotency }, requestBody: jsonRequestBody(describedBody) },
    ),
  },
  '/api/turns/{turnId}': {
    get: operation(
      'Where a turn stands, or how it ended',
      { 200: json('The turn.', turnStatusAnswerSchema) },
      { requestParams: turnPath },
    ),
  },
  '/api/turns/{turnId}/events': {
    get: operation(
      'Streams the events of a turn, from the first or after an id',
      { 200: eitherStream, ...delivered },
      {
        requestParams: {
          ...turnPath,
          header: resume.header,
          query: resume.query.extend(eventsQuerySchema.shape),
        },
      },
    ),
  },
  '/api/turns/{turnId}/cancel': {
    post: operation(
      'Ends a turn with what was said',
      {
        200: json('The turn had ended before.', turnCancelAnswerSchema),
        202: json('The turn is being cancelled.', turnCancelAnswerSchema),
      },
      { requestParams: turnPath },
    ),
  },
  '/api/turns/{turnId}/undo': {
    post: operation(
      'Takes back what a turn that has ended changed in files',
      { 200: json('What became of each file.', turnUndoAnswerSchema) },
      { requestParams: turnPath },
    ),
  },
};
