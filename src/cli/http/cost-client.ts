import { costListSchema, type CostList } from '../../contracts/http/cost-api.ts';
import { queryStringOf } from '../../contracts/http/query-string.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Creates the call of `GET /api/costs` (docs/http-api.md). It throws as `GatewayClient` does. */
export const createCostClient = (gateway: GatewayClient) => ({
  /** Lists the costs of the last `days` UTC days, newest first. */
  list: (days: number): Promise<CostList> =>
    gateway.requestJson(costListSchema, `/api/costs${queryStringOf({ days })}`),
});
/** The requests to the gateway about costs. */
export type CostClient = ReturnType<typeof createCostClient>;
