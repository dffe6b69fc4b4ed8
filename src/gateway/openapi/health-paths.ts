import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  healthAnswerSchema,
  readyAnswerSchema,
  unreadyAnswerSchema,
} from '../../contracts/http/health-api.ts';
import { infoAnswerSchema } from '../../contracts/http/info-api.ts';
import { signInAnswerSchema, signInBodySchema } from '../../contracts/http/sign-in-api.ts';
import { json, jsonRequestBody, operation } from './operations.ts';

/** Health, metrics and this description itself. */
export const healthPaths: ZodOpenApiPathsObject = {
  '/': {
    get: operation('The chat page', {
      200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
    }),
  },
  '/health': { get: operation('This process answers', { 200: json('Alive.', healthAnswerSchema) }) },
  '/ready': {
    get: operation('A turn that is started now would run', {
      200: json('Ready.', readyAnswerSchema),
      503: json('A turn would have to wait.', unreadyAnswerSchema),
    }),
  },
  '/api/info': {
    get: operation('Which Orion this is', {
      200: json('Version, models, and for its operators workspace and settings.', infoAnswerSchema),
    }),
  },
  '/api/sign-in': {
    get: operation('Whose key or cookie this is', { 200: json('Who asks.', signInAnswerSchema) }),
    post: operation(
      'A cookie for a browser, which stands for an API key for a day',
      { 200: json('The cookie is set.', signInAnswerSchema) },
      { requestBody: jsonRequestBody(signInBodySchema) },
    ),
    delete: operation('Takes the cookie back', { 204: { description: 'The browser has none any more.' } }),
  },
  '/metrics': {
    get: operation('Figures for Prometheus', {
      200: { description: 'Text exposition format.', content: { 'text/plain': { schema: z.string() } } },
    }),
  },
  '/openapi.json': {
    get: operation('This description', {
      200: json('An OpenAPI 3.1 document.', z.record(z.string(), z.unknown())),
    }),
  },
};
