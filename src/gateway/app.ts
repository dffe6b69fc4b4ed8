import express, { type Express } from 'express';
import helmet from 'helmet';
import { handleError, unknownRoute } from './errors/error-handler.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { createHostGuard } from './guards/host-guard.ts';
import { jsonBody } from './requests/json-body.ts';
import { createOriginGuard } from './guards/origin-guard.ts';
import { createRequestLog } from './request-log.ts';
import { createChatRoutes } from './routes/chat-routes.ts';
import { createHealthRoutes } from './routes/health-routes.ts';
import { createTurnRoutes } from './routes/turn-routes.ts';
import { createStartLimit } from './guards/start-limit.ts';
import { createStreamAnswer } from './streams/stream-answer.ts';
import { createStreamSlots } from './guards/stream-slots.ts';
import { createTurnEntry } from './turns/turn-entry.ts';
import { fromDatabase } from './turns/turn-lookup.ts';

/**
 * The HTTP interface of Orion (turns.md "Routes"), apart from listening. Throws on an allow-list entry that
 * cannot be read.
 */
export const createApp = (deps: GatewayDeps): Express => {
  const { settings, logger, lane } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  // Workers bring a token instead of a Host or an Origin, and a body that must not be collected.
  if (lane) app.use(lane);
  app.use(createRequestLog(logger));
  app.use(helmet({ strictTransportSecurity: false, contentSecurityPolicy: API_CONTENT_POLICY }));
  app.use(createHostGuard(settings.allowedHosts), createOriginGuard(settings.allowedOrigins));
  app.use(createHealthRoutes(deps));
  app.use('/api', ...jsonBody, createApiRoutes(deps));
  app.use(unknownRoute, handleError);
  return app;
};

/** Answers are data: were one shown as a page, it could load and run nothing. */
const API_CONTENT_POLICY = {
  useDefaults: false,
  directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
};

const createApiRoutes = (deps: GatewayDeps): express.Router => {
  const { settings, turns } = deps;
  const isKnown = async (turnId: string) => (await fromDatabase(turns.find(turnId))) !== undefined;
  const admit = createStartLimit(settings.turnsPerMinute, isKnown);
  const shared = {
    entry: createTurnEntry({ ...deps, admit }),
    takeStreamSlot: createStreamSlots(settings.maxStreamsPerClient),
    streamAnswer: createStreamAnswer(deps),
  };
  const router = express.Router();
  router.use('/chat', createChatRoutes({ ...deps, ...shared }));
  router.use('/turns', createTurnRoutes({ ...deps, ...shared }));
  return router;
};
