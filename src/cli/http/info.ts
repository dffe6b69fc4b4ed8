import { infoAnswerSchema, type InfoAnswer } from '../../contracts/http/info.ts';
import type { Gateway } from './gateway.ts';

/** `GET /api/info`: which Orion answers; throws what `Gateway` throws, or the reason of `signal`. */
export const createInfoCalls = (gateway: Gateway) => ({
  read: (signal?: AbortSignal): Promise<InfoAnswer> =>
    gateway.json(infoAnswerSchema, '/api/info', signal && { signal }),
});
export type InfoCalls = ReturnType<typeof createInfoCalls>;
