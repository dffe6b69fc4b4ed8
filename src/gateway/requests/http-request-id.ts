import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { idSchema } from '../../contracts/values/ids.ts';

/**
 * Returns the id under which a request is logged and answered: the one that it was given later (`adoptHttpRequestId`),
 * otherwise its own `X-Request-Id` if that is a valid id, otherwise a random one. Returns an empty text for a request
 * of the live lane, which gets no id.
 */
export const httpRequestIdOf = ({ id }: IncomingMessage): string => (typeof id === 'string' ? id : '');

/** Returns the id for a request, and sets the header `X-Request-Id` of the response. */
export const assignHttpRequestId = (req: IncomingMessage, res: ServerResponse): string => {
  const headerId = idSchema.safeParse(req.headers['x-request-id']);
  const id = headerId.success ? headerId.data : randomUUID();
  res.setHeader('X-Request-Id', id);
  return id;
};

const ADOPTED = 'adoptedId';

/**
 * Gives a request another id: the one in its body or `Idempotency-Key`, or the one generated for its turn or note. The
 * id of a turn is the id of the request that asked for it (docs/turns.md "Starting a turn").
 */
export const adoptHttpRequestId = (res: ServerResponse, id: string): void => {
  res.req.id = id;
  (res as Response).locals[ADOPTED] = id;
  res.setHeader('X-Request-Id', id);
};

/** Returns the id that `adoptHttpRequestId` gave the request. Returns undefined if it was not called. */
export const adoptedIdOf = (res: ServerResponse): string | undefined =>
  (res as Response).locals[ADOPTED] as string | undefined;
