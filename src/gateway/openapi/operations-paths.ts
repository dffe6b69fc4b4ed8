import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  healthResponseSchema,
  readyResponseSchema,
  unreadyResponseSchema,
} from '../../contracts/http/health-api.ts';
import { costListSchema, costQuerySchema } from '../../contracts/http/cost-api.ts';
import { dayListSchema, dayQuerySchema } from '../../contracts/http/day-api.ts';
import { fileListSchema, filesQuerySchema } from '../../contracts/http/file-api.ts';
import { infoResponseSchema } from '../../contracts/http/info-api.ts';
import { signInResponseSchema, signInBodySchema } from '../../contracts/http/sign-in-api.ts';
import { describeOperation, jsonRequestBody, jsonResponse } from './operations.ts';

/**
 * The routes of the chat page, health, metrics, this description itself, facts of the gateway, sign-in, costs, days and
 * files.
 */
export const operationsPaths: ZodOpenApiPathsObject = {
  '/': {
    get: describeOperation('Serves the chat page', {
      200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
    }),
  },
  '/health': {
    get: describeOperation('Checks that this process answers', {
      200: jsonResponse('Alive.', healthResponseSchema),
    }),
  },
  '/ready': {
    get: describeOperation('Checks that a turn started now would run', {
      200: jsonResponse('Ready.', readyResponseSchema),
      503: jsonResponse('A turn would have to wait.', unreadyResponseSchema),
    }),
  },
  '/api/costs': {
    get: describeOperation(
      'Returns what API keys have spent, by day',
      { 200: jsonResponse('A page of days, newest first.', costListSchema) },
      { requestParams: { query: costQuerySchema } },
    ),
  },
  '/api/days': {
    get: describeOperation(
      'Returns totals for the turns of a project, by day',
      { 200: jsonResponse('Days with turns, oldest first.', dayListSchema) },
      { requestParams: { query: dayQuerySchema } },
    ),
  },
  '/api/files': {
    get: describeOperation(
      'Lists a folder of a project',
      { 200: jsonResponse('Its entries.', fileListSchema) },
      { requestParams: { query: filesQuerySchema } },
    ),
  },
  '/api/info': {
    get: describeOperation('Returns version, models and settings of this Orion', {
      200: jsonResponse('Version, models, and for its operators workspace and settings.', infoResponseSchema),
    }),
  },
  '/api/sign-in': {
    get: describeOperation('Returns the owner of this key or cookie', {
      200: jsonResponse('Who asks.', signInResponseSchema),
    }),
    post: describeOperation(
      'Exchanges an API key for a browser cookie that is valid for a day',
      { 200: jsonResponse('The cookie is set.', signInResponseSchema) },
      { requestBody: jsonRequestBody(signInBodySchema) },
    ),
    delete: describeOperation('Deletes the cookie', {
      204: { description: 'The browser no longer has a cookie.' },
    }),
  },
  '/metrics': {
    get: describeOperation('Returns metrics for Prometheus', {
      200: { description: 'Text exposition format.', content: { 'text/plain': { schema: z.string() } } },
    }),
  },
  '/openapi.json': {
    get: describeOperation('Returns this description', {
      200: jsonResponse('An OpenAPI 3.1 document.', z.record(z.string(), z.unknown())),
    }),
  },
};
