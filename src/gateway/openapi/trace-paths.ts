import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { traceListSchema, traceQuerySchema } from '../../contracts/http/traces.ts';
import { json, operation } from './operations.ts';

/** What happened in the turns of a project (docs/storage.md "Traces"). */
export const tracePaths: ZodOpenApiPathsObject = {
  '/api/trace/logs': {
    get: operation(
      'A window of trace events, oldest first',
      { 200: json('The newest `limit` events after skipping `offset` from the newest.', traceListSchema) },
      { requestParams: { query: traceQuerySchema } },
    ),
  },
};
