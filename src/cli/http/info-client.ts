import { infoResponseSchema, type InfoResponse } from '../../contracts/http/info-api.ts';
import type { GatewayClient } from './gateway-client.ts';

/**
 * Creates the call of `GET /api/info`, in which the gateway describes itself. It throws as `GatewayClient` does.
 */
export const createInfoClient = (gateway: GatewayClient) => ({
  read: (signal?: AbortSignal): Promise<InfoResponse> =>
    gateway.requestJson(infoResponseSchema, '/api/info', signal && { signal }),
});
/** The requests to the gateway about itself (`GET /api/info`). */
export type InfoClient = ReturnType<typeof createInfoClient>;
