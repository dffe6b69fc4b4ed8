import { createDocument } from 'zod-openapi';
import { apiErrorSchema } from '../../contracts/http-error.ts';
import { compatibleFrameSchema } from '../../contracts/http-frame.ts';
import { turnEventSchema } from '../../contracts/turn-event.ts';
import { chatPaths } from './chat-paths.ts';
import { healthPaths } from './health-paths.ts';
import { tracePaths } from './trace-paths.ts';
import { writeSessionPaths } from './write-session-paths.ts';

export type ApiDocument = ReturnType<typeof createDocument>;

/**
 * OpenAPI 3.1 of the gateway (turns.md "Routes"), made of the schemas that validate: what is described is what is
 * checked. Aliases of fields are left out; they are for old clients.
 */
export const createApiDocument = (): ApiDocument =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Orion',
      version: '1',
      description: 'Durable agent chat: turns over server-sent events, and write sessions for long files.',
    },
    paths: { ...chatPaths, ...writeSessionPaths, ...tracePaths, ...healthPaths },
    components: {
      schemas: { Error: apiErrorSchema, TurnEvent: turnEventSchema, CompatibleFrame: compatibleFrameSchema },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    security: [{}, { key: [] }],
  });
