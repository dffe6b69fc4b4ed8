import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { idSchema } from '../../contracts/values/ids.ts';

/** Returns the id under which this HTTP request is logged and answered; it is the client's own when that is valid. */
export const requestIdOf = ({ id }: IncomingMessage): string => (typeof id === 'string' ? id : '');

/** Gives a request its id, and names it in the answer (`X-Request-Id`). */
export const assignRequestId = (req: IncomingMessage, res: ServerResponse): string => {
  const given = idSchema.safeParse(req.headers['x-request-id']);
  const id = given.success ? given.data : randomUUID();
  res.setHeader('X-Request-Id', id);
  return id;
};

const ADOPTED = 'adoptedId';

/**
 * Notes the id that a request gives itself in its body: the id of a turn is the id of the request that asked for it
 * (docs/turns.md).
 */
export const adoptRequestId = (res: ServerResponse, id: string): void => {
  res.req.id = id;
  (res as Response).locals[ADOPTED] = id;
  res.setHeader('X-Request-Id', id);
};

/** Returns the id that the request gave itself. Returns undefined if it gave none. */
export const adoptedIdOf = (res: ServerResponse): string | undefined =>
  (res as Response).locals[ADOPTED] as string | undefined;
