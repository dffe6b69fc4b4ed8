import type { Request, Response } from 'express';
import type { Clock } from '../../base/timing/clock.ts';
import { clientOf } from '../access/access.ts';
import { ApiError, SOON_SECONDS } from '../errors/api-error.ts';

/** Lists of one client that are made or sent at once. Each may weigh megabytes until its client has read it. */
const AT_ONCE = 2;
/** Further lists wait for those: a page that opens asks for a handful. */
const MAX_WAITING = 16;
/** Bytes below which lists are light: a gateway makes many of them a second. */
const LIGHT_BYTES = 256 * 1024;
/**
 * Bytes a millisecond that one client's heavy lists may have, at each place: making a megabyte of them keeps others
 * waiting for 10 ms.
 */
const HEAVY_BYTES_PER_MS = 4 * 1024;

/**
 * Resolves when the client's list may be made; the next one may be made when the answer has been read. Throws
 * `rate_limited`.
 */
export type EnterListQueue = (req: Request, res: Response) => Promise<void>;

interface ListClient {
  running: number;
  /** Each function takes over a place that has become free; first come, first served. */
  readonly waiting: Set<() => void>;
}

/**
 * Builds the queue: no client fills memory with lists that it does not read, or the event loop with heavy ones, and
 * none waits for another's.
 */
export const createListQueue = (clock: Pick<Clock, 'after'>): EnterListQueue => {
  const clients = new Map<string, ListClient>();
  return async (req, res) => {
    const name = clientOf(req);
    const client = clients.get(name) ?? { running: 0, waiting: new Set() };
    clients.set(name, client);
    if (client.running < AT_ONCE) client.running += 1;
    else await waitForSlot(client, res);
    const handOver = (): void => {
      const [next] = client.waiting;
      if (next) return next();
      client.running -= 1;
      if (client.running === 0) clients.delete(name);
    };
    res.once('close', () => {
      const pause = pauseAfter(res);
      if (pause > 0) clock.after(pause, handOver);
      else handOver();
    });
  };
};

/** Returns the milliseconds for which a slot stays taken after a heavy list, whether it was read or not. */
const pauseAfter = (res: Response): number => {
  const bytes = Number(res.getHeader('content-length') ?? 0);
  return bytes > LIGHT_BYTES ? bytes / HEAVY_BYTES_PER_MS : 0;
};

/** Resolves when another request hands its slot over; never when the client leaves first. */
const waitForSlot = ({ waiting }: ListClient, res: Response): Promise<void> => {
  if (waiting.size >= MAX_WAITING) {
    const most = AT_ONCE + MAX_WAITING;
    throw new ApiError('rate_limited', `At most ${most} lists of one client may be asked for at once.`, {
      retryAfterSeconds: SOON_SECONDS,
    });
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = (): void => void waiting.delete(go);
  const go = (): void => {
    waiting.delete(go);
    res.off('close', leave);
    resolve();
  };
  waiting.add(go);
  res.once('close', leave);
  return promise;
};
