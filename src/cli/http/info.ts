import { infoAnswerSchema, type InfoAnswer } from '../../contracts/http-info.ts';
import type { Gateway } from './gateway.ts';

/** `GET /api/info`: which Orion answers; throws what `Gateway` throws. */
export const createInfoCalls = (gateway: Gateway) => ({
  read: (): Promise<InfoAnswer> => gateway.json(infoAnswerSchema, '/api/info'),
});
export type InfoCalls = ReturnType<typeof createInfoCalls>;
