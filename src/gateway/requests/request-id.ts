import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { idSchema } from '../../contracts/values/ids.ts';

/** The id under which this HTTP request is logged and answered; the client's own when it is valid. */
export const requestIdOf = ({ id }: IncomingMessage): string => (typeof id === 'string' ? id : '');

/** Gives a request its id, and says it in the answer (`X-Request-Id`). */
export const assignRequestId = (req: IncomingMessage, res: ServerResponse): string => {
  const given = idSchema.safeParse(req.headers['x-request-id']);
  const id = given.success ? given.data : randomUUID();
  res.setHeader('X-Request-Id', id);
  return id;
};

const ADOPTED = 'adoptedId';

/** The request has named itself in its body: a turn's id is the id of the request that asked for it (docs/turns.md). */
export const adoptRequestId = (res: ServerResponse, id: string): void => {
  res.req.id = id;
  (res as Response).locals[ADOPTED] = id;
  res.setHeader('X-Request-Id', id);
};

/** The id that the request named itself; undefined where it did not. */
export const adoptedIdOf = (res: ServerResponse): string | undefined =>
  (res as Response).locals[ADOPTED] as string | undefined;
