import { Router } from 'express';
import type { Authentication } from '../access/authentication.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import { createReadiness, type ReadinessReport } from '../health/readiness.ts';
import { httpRequestIdOf } from '../requests/http-request-id.ts';

export interface HealthRouteDeps extends Pick<GatewayDeps, 'probes'> {
  readonly authentication: Pick<Authentication, 'identify'>;
}

/**
 * Creates the routes `GET /health`, which says that this process answers, and `GET /ready`, which says whether a turn
 * that is started now would run. Load balancers ask without a key. If the gateway has keys, what failed and why, which
 * may name servers and paths, is shown only to clients with a valid one.
 */
export const createHealthRoutes = ({ probes, authentication }: HealthRouteDeps): Router => {
  const readiness = createReadiness(probes, () => performance.now());
  const router = Router();
  router.get('/health', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/ready', async (req, res) => {
    const checks = await readiness();
    const code = unreadyCodeOf(checks);
    const isIdentified = authentication.identify(req.headers) !== undefined;
    if (code === undefined) {
      res.json({ status: 'ready', ...(isIdentified && { checks }) });
      return;
    }
    const error = 'A turn that is started now would have to wait.';
    const requestId = httpRequestIdOf(req);
    res.status(503).json({ status: 'unready', error, requestId, ...(isIdentified && { code, checks }) });
  });
  return router;
};

const unreadyCodeOf = ({ temporal, worker, database, data, workspace, storage }: ReadinessReport) => {
  if (database !== 'ok') return 'database_unavailable';
  if (temporal !== 'ok' || worker !== 'ok') return 'temporal_unavailable';
  if (storage !== 'ok') return 'storage_full';
  return data === 'ok' && workspace === 'ok' ? undefined : 'write_failed';
};

export interface MetricsRouteDeps extends Pick<GatewayDeps, 'metrics' | 'settings'> {
  readonly authentication: Pick<Authentication, 'required'>;
}

/**
 * Creates the route `GET /metrics` for Prometheus. It requires a key if other machines can reach the gateway
 * (docs/http-api.md).
 */
export const createMetricsRoutes = ({ metrics, settings, authentication }: MetricsRouteDeps): Router => {
  const router = Router();
  router.get(
    '/metrics',
    ...(settings.areMetricsPublic ? [] : [authentication.required]),
    async (_req, res) => {
      const { contentType, text } = await metrics.scrape();
      res.setHeader('Content-Type', contentType);
      res.send(text);
    },
  );
  return router;
};
