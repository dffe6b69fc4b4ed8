import { Router } from 'express';
import { type CostList, costQuerySchema } from '../../contracts/http/cost-api.ts';
import type { SpendRepository } from '../../db/usage/spend-repository.ts';
import { accessOf, ownerOf } from '../access/access.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { parseRequest } from '../requests/validation.ts';
import { sendLongJson } from '../responses/send-json.ts';

export interface CostRouteDeps {
  readonly spend: Pick<SpendRepository, 'listDays'>;
  readonly enterListQueue: EnterListQueue;
}

/**
 * Creates the route `GET /api/costs`: what each key has spent on each day. A client that may use every project sees all
 * keys, any other client only its own.
 */
export const createCostRoutes = ({ spend, enterListQueue }: CostRouteDeps): Router => {
  const router = Router();
  router.get('/costs', async (req, res) => {
    const query = parseRequest(costQuerySchema, req.query, 'query');
    await enterListQueue(req, res);
    const owner = accessOf(req).mayUseAll ? undefined : ownerOf(req);
    const { rows, hasMore } = await withDatabaseDeadline(spend.listDays({ ...query, owner }));
    const list: CostList = { costs: rows.map(({ owner: key, ...day }) => ({ key, ...day })), more: hasMore };
    await sendLongJson(res, JSON.stringify(list));
  });
  return router;
};
