import type { Request, Response } from 'express';
import { clientOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';

/** Counts the response as an open stream of its client until it closes, or throws `too_many_streams`. */
export type TakeStreamSlot = (req: Request, res: Response) => void;

/**
 * Creates the function that limits the open streams of each client, because every stream costs a socket and a buffer,
 * and no client may take them all.
 */
export const createStreamSlots = (maxPerClient: number): TakeStreamSlot => {
  const open = new Map<string, number>();
  return (req, res) => {
    // The client has left during a look-up. No further `close` would give the slot back.
    if (res.destroyed) return;
    const client = clientOf(req);
    const count = open.get(client) ?? 0;
    if (count >= maxPerClient) {
      throw new ApiError('too_many_streams', `At most ${maxPerClient} streams of one client may be open.`);
    }
    open.set(client, count + 1);
    res.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
  };
};
