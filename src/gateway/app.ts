import express, { type Express } from 'express';
import helmet from 'helmet';
import { LANE_PATH } from '../contracts/wire/live-lane.ts';
import { createAuthentication } from './access/authentication.ts';
import { clientOf } from './access/access.ts';
import { composeRouteParts } from './compose/compose-routes.ts';
import { createRefusalCount, handleError, unknownRoute } from './requests/error-handler.ts';
import type { GatewayDeps } from './deps/gateway-deps.ts';
import { createHostGuard } from './guards/host-guard.ts';
import { createLargeBodyGuard } from './guards/large-bodies.ts';
import { jsonBody } from './requests/json-body.ts';
import { createOriginGuard } from './guards/origin-guard.ts';
import { createRequestLog } from './requests/request-log.ts';
import { createApiRoutes } from './routes/api-routes.ts';
import { createOpenApiRoutes } from './routes/openapi-routes.ts';
import { createHealthRoutes, createMetricsRoutes } from './routes/health-routes.ts';
import { createSignInRoutes } from './routes/sign-in-routes.ts';
import { createWriteSessionRoutes } from './routes/write-session-routes.ts';
import { createPageRoutes } from './page/page-routes.ts';

/**
 * Creates the HTTP interface of Orion (docs/http-api.md), without the listening socket. Throws Error for an entry of
 * the allow-lists that cannot be read.
 */
export const createApp = (deps: GatewayDeps): Express => {
  const { settings, logger, lane, connections, metrics } = deps;
  connections.onTimeout(() => metrics.refused('request_timeout'));
  const routeDeps = { ...deps, ...composeRouteParts(deps) };
  const authentication = createAuthentication(deps.keys, deps.signIns);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  // Before the guards and the parsers: workers and other gateways prove with a token who they are, whatever their
  // `Host`, and the body of their request is a stream that nothing may collect.
  if (lane) app.use(createLaneAssignment(connections), lane);
  app.use(createRequestLog(logger));
  app.use(helmet({ strictTransportSecurity: false, contentSecurityPolicy: API_CONTENT_POLICY }));
  app.use(createHostGuard(settings.allowedHosts), createOriginGuard(settings.allowedOrigins));
  app.use(createHealthRoutes({ ...deps, authentication }), createMetricsRoutes({ ...deps, authentication }));
  app.use(createPageRoutes(deps.page), createOpenApiRoutes());
  app.use(createSignInRoutes(deps));
  app.use('/api', authentication.required, createClientAssignment(deps), createLargeBodyGuard(deps.clock));
  // Mounted before the parser, which would collect what these routes stream.
  app.use('/api/write-session', createWriteSessionRoutes({ ...routeDeps, ...deps.writeSessions }));
  app.use('/api', ...jsonBody, createApiRoutes(routeDeps));
  app.use(unknownRoute, createRefusalCount(metrics), handleError);
  return app;
};

/**
 * Content policy of all responses except those of the chat page and the lane. Responses are data, so a browser that
 * shows one as a page must load and run nothing because of it.
 */
const API_CONTENT_POLICY = {
  useDefaults: false,
  directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
};

/**
 * Creates middleware that counts the connections of workers and other gateways for the client `workers`, without a
 * limit. The lane answers 401 to a client without a valid token and closes its connection, so such connections do not
 * stay in this count. Only the routes of the lane are assigned so: other paths below `LANE_PATH` are answered like any
 * unknown path.
 */
const createLaneAssignment = (connections: GatewayDeps['connections']): express.Router =>
  express.Router().use(LANE_PATH, (req, _res, next) => {
    // `use` has removed `LANE_PATH` from the path: workers request `/`, and other gateways `/turns/<id>`.
    if (req.method !== 'POST' || !/^\/(turns\/[^/]+)?$/.test(req.path)) return next();
    connections.assign(req, 'workers');
    connections.expect(req, 'lane');
    next();
  });

/** Number of connections that a client may have for everything else, in addition to one for each of its streams. */
const SPARE_CONNECTIONS = 100;

const createClientAssignment = ({ connections, settings }: GatewayDeps): express.RequestHandler => {
  const maxPerClient = settings.maxStreamsPerClient + SPARE_CONNECTIONS;
  return (req, _res, next) => {
    connections.assign(req, clientOf(req), maxPerClient);
    next();
  };
};
