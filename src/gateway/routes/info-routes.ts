import { Router } from 'express';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import { accessOf } from '../access/access.ts';
import type { GatewayInfo } from '../deps/route-settings.ts';
import type { OfferedTurnOptions } from '../requests/turn-options.ts';
import type { TemporalUi } from '../turns/turn-status.ts';

export interface InfoRouteDeps {
  readonly info: GatewayInfo;
  readonly settings: Pick<OfferedTurnOptions, 'models'> & { readonly temporalUi: TemporalUi | undefined };
}

/**
 * Creates the route `GET /api/info`. Paths and settings are shown only to those who operate the gateway: clients that
 * may use every project.
 */
export const createInfoRoutes = ({ info, settings: { models, temporalUi } }: InfoRouteDeps): Router => {
  const router = Router();
  router.get('/info', (req, res) => {
    const isOperator = accessOf(req).mayUseAll;
    const response: InfoResponse = {
      version: info.version,
      model: models[0],
      models: [...models],
      modelFacts: [...info.modelFacts],
      temporalUi: temporalUi?.url ?? null,
      workspace: isOperator ? info.workspace : null,
      settings: isOperator ? [...info.settings] : null,
    };
    res.json(response);
  });
  return router;
};
