import type { Request, Response } from 'express';
import type { Clock } from '../../base/timing/clock.ts';
import { clientOf } from '../access/access.ts';
import { ApiError, RETRY_SOON_SECONDS } from '../errors/api-error.ts';
import { KIB } from '../../contracts/values/units.ts';

/**
 * Largest number of lists of one client that are made or sent at the same time. Each may take megabytes of memory until
 * its client has read it.
 */
const MAX_AT_ONCE = 2;
/** Largest number of further lists of the client that wait. A page that opens asks for a handful. */
const MAX_WAITING = 16;
/** Largest size, in bytes of JSON, of a light list. A gateway can make many of these in a second. */
const LIGHT_BYTES = 256 * KIB;
/**
 * Bytes of heavy lists that a client may have in each millisecond, for each of the `MAX_AT_ONCE` lists. Making a
 * megabyte of such lists keeps others waiting for 10 ms.
 */
const HEAVY_BYTES_PER_MS = 4 * KIB;

/**
 * Resolves when the list of this request may be made. Its place becomes free when the response has been read or the
 * client has left, and after a heavy list a while later. Never settles if the client has left already, or leaves while
 * it waits. Rejects with `rate_limited` when too many lists of the client wait.
 */
export type EnterListQueue = (req: Request, res: Response) => Promise<void>;

interface ListClient {
  running: number;
  /** Functions that let a waiting request take over a place, first come, first served. */
  readonly waiting: Set<() => void>;
}

/**
 * Creates the queue of lists. It keeps a client from filling memory with lists that it does not read, and from blocking
 * the event loop with heavy ones. No client waits for the lists of another one.
 */
export const createListQueue = (clock: Pick<Clock, 'after'>): EnterListQueue => {
  const clients = new Map<string, ListClient>();
  return async (req, res) => {
    // The client has left during a look-up. No further `close` would give the place back.
    if (res.destroyed) return new Promise(() => undefined);
    const name = clientOf(req);
    const client = clients.get(name) ?? { running: 0, waiting: new Set() };
    clients.set(name, client);
    if (client.running < MAX_AT_ONCE) client.running += 1;
    else await waitForPlace(client, res);
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

/**
 * Returns the milliseconds for which the place of a heavy list stays taken after its response, whether that was read or
 * not. Returns 0 for a light list.
 */
const pauseAfter = (res: Response): number => {
  const bytes = Number(res.getHeader('content-length') ?? 0);
  return bytes > LIGHT_BYTES ? bytes / HEAVY_BYTES_PER_MS : 0;
};

/** Resolves when another request hands its place over. Never settles if the client leaves first. */
const waitForPlace = ({ waiting }: ListClient, res: Response): Promise<void> => {
  if (waiting.size >= MAX_WAITING) {
    const maxRequests = MAX_AT_ONCE + MAX_WAITING;
    throw new ApiError(
      'rate_limited',
      `At most ${maxRequests} lists of one client may be asked for at once.`,
      {
        retryAfterSeconds: RETRY_SOON_SECONDS,
      },
    );
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = (): void => void waiting.delete(begin);
  const begin = (): void => {
    waiting.delete(begin);
    res.off('close', leave);
    resolve();
  };
  waiting.add(begin);
  res.once('close', leave);
  return promise;
};
