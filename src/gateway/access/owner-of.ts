import type { Request } from 'express';
import { accessOf } from './access.ts';

/** Whom slots and stored bytes are counted for, over all gateways: the key by its name, or everybody without keys. */
export const ownerOf = (req: Request): string => accessOf(req).name ?? 'local';
