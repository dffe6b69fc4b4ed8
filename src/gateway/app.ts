import express, { type Express } from 'express';
import helmet from 'helmet';
import { LANE_PATH } from '../contracts/wire/live-lane.ts';
import { createAuthentication } from './access/authentication.ts';
import { clientOf } from './access/access.ts';
import { createRefusalCount, handleError, unknownRoute } from './requests/error-handler.ts';
import type { GatewayDeps } from './deps/gateway-deps.ts';
import { createHostGuard } from './guards/host-guard.ts';
import { createLargeBodies } from './guards/large-bodies.ts';
import { jsonBody } from './requests/json-body.ts';
import { createOriginGuard } from './guards/origin-guard.ts';
import { createRequestLog } from './requests/request-log.ts';
import { createApiRoutes } from './routes/api-routes.ts';
import { createOpenApiRoutes } from './routes/openapi-routes.ts';
import { createHealthRoutes, createMetricsRoutes } from './routes/health-routes.ts';
import { createSignInRoutes } from './routes/sign-in-routes.ts';
import { createWriteSessionRoutes } from './routes/write-session-routes.ts';
import { createListQueue } from './guards/list-queue.ts';
import { createPageRoutes } from './page/page-routes.ts';

/**
 * Creates the HTTP interface of Orion (docs/http-api.md), without the listening socket. Throws on an allow-list entry
 * that cannot be read.
 */
export const createApp = (deps: GatewayDeps): Express => {
  const { settings, logger, lane, connections, metrics } = deps;
  connections.onTimeout(() => metrics.refused('request_timeout'));
  const enterListQueue = createListQueue(deps.clock);
  const authentication = createAuthentication(deps.keys, deps.signIns);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  // Workers bring a token instead of a Host or an Origin, and a body that must not be collected.
  if (lane) app.use(createLaneClaim(connections), lane);
  app.use(createRequestLog(logger));
  app.use(helmet({ strictTransportSecurity: false, contentSecurityPolicy: API_CONTENT_POLICY }));
  app.use(createHostGuard(settings.allowedHosts), createOriginGuard(settings.allowedOrigins));
  app.use(createHealthRoutes({ ...deps, authentication }), createMetricsRoutes({ ...deps, authentication }));
  app.use(createPageRoutes(deps.page), createOpenApiRoutes());
  app.use(createSignInRoutes(deps));
  app.use('/api', authentication.required, createClientClaim(deps), createLargeBodies(deps.clock));
  // Mounted before the parser, which would collect what these routes stream.
  app.use('/api/write-session', createWriteSessionRoutes({ ...deps, ...deps.writeSessions, enterListQueue }));
  app.use('/api', ...jsonBody, createApiRoutes(deps, enterListQueue));
  app.use(unknownRoute, createRefusalCount(metrics), handleError);
  return app;
};

/** Answers are data: this policy lets one that is shown as a page load and run nothing. */
const API_CONTENT_POLICY = {
  useDefaults: false,
  directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
};

/**
 * Counts the connections of workers. A client without a token is answered 401 and cut, so that only workers stay in
 * this count. Claims only the lane's own routes: other paths below it are answered like any unknown path.
 */
const createLaneClaim = (connections: GatewayDeps['connections']): express.Router =>
  express.Router().use(LANE_PATH, (req, _res, next) => {
    // `use` has left only a part of the path: nothing for workers, the part of the turn for other gateways.
    if (req.method !== 'POST' || !/^\/(turns\/[^/]+)?$/.test(req.path)) return next();
    connections.claim(req, 'workers');
    connections.expect(req, 'lane');
    next();
  });

/** A client has some connections for everything else beside its streams. */
const SPARE_CONNECTIONS = 100;

const createClientClaim = ({ connections, settings }: GatewayDeps): express.RequestHandler => {
  const most = settings.maxStreamsPerClient + SPARE_CONNECTIONS;
  return (req, _res, next) => {
    connections.claim(req, clientOf(req), most);
    next();
  };
};
