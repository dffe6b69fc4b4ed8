import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { accessOf } from './access.ts';

/** Whom limits count: the key, wherever it is used from, or the address of a client without one. */
export const clientOf = (req: Request): string => {
  const { name } = accessOf(req);
  // An IPv6 client owns a whole subnet of addresses.
  return name === undefined ? `address ${ipKeyGenerator(req.ip ?? '')}` : `key ${name}`;
};
