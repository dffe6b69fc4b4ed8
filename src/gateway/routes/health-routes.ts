import { Router } from 'express';
import type { GatewayDeps } from '../gateway-deps.ts';
import { checkReadiness, type Readiness } from '../readiness.ts';
import { requestIdOf } from '../request-log.ts';

/** `GET /health`: this process answers. `GET /ready`: a turn that is started now would run. */
export const createHealthRoutes = ({ probes }: Pick<GatewayDeps, 'probes'>): Router => {
  const router = Router();
  router.get('/health', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/ready', async (req, res) => {
    const checks = await checkReadiness(probes);
    const code = unreadyCode(checks);
    if (code === undefined) {
      res.json({ status: 'ready', checks });
      return;
    }
    const error = 'A turn that is started now would have to wait.';
    res.status(503).json({ status: 'unready', checks, error, code, requestId: requestIdOf(req) });
  });
  return router;
};

const unreadyCode = ({ temporal, worker, database }: Readiness) => {
  if (database !== 'ok') return 'database_unavailable';
  return temporal === 'ok' && worker === 'ok' ? undefined : 'temporal_unavailable';
};
