import { Router } from 'express';
import type { Authentication } from '../access/authentication.ts';
import type { GatewayDeps } from '../gateway-deps.ts';

export interface MetricsRouteDeps extends Pick<GatewayDeps, 'metrics' | 'settings'> {
  readonly authentication: Pick<Authentication, 'required'>;
}

/** `GET /metrics`, for Prometheus; with a key as soon as others than this machine can ask (docs/http-api.md). */
export const createMetricsRoutes = ({ metrics, settings, authentication }: MetricsRouteDeps): Router => {
  const router = Router();
  router.get('/metrics', ...(settings.metricsOpen ? [] : [authentication.required]), async (_req, res) => {
    const { contentType, text } = await metrics.scrape();
    res.setHeader('Content-Type', contentType);
    res.send(text);
  });
  return router;
};
