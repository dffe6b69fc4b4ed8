import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../../base/timing/clock.ts';
import { clientOf } from '../access/access.ts';
import { ApiError, RETRY_SOON_SECONDS } from '../errors/api-error.ts';
import { KIB, MIB } from '../../contracts/values/units.ts';

/**
 * Size in bytes below which a body costs no more than the request around it. A smaller body is never delayed, unless it
 * does not announce its size.
 */
const MIN_BYTES = 4 * KIB;
/** Size in bytes from which a refused body costs the whole `PAUSE_MS`. A smaller one costs its share of it. */
const LARGE_BYTES = 64 * KIB;
/** The price of a refused body: milliseconds during which the next body of its client is not read. */
const PAUSE_MS = 25;
/** Milliseconds that each MiB of a refused body adds to `PAUSE_MS`. */
const PAUSE_MS_PER_MIB = 100;
/**
 * Longest time, in milliseconds, that a body waits. It is far below the times after which a connection is cut whose
 * body does not come in (`CONNECTION_LIMITS`).
 */
const MAX_WAIT_MS = 10_000;
/**
 * Longest time in milliseconds, counted from the end of its body, for which a request holds back the next one of its
 * client. The request may not be answered by then, because its response may stream for minutes. A request below
 * `LARGE_BYTES` holds the next one back only for as long as its refusal would.
 */
const MAX_DECISION_MS = 1_000;
/** Milliseconds that a client can owe at most, so that a burst of refusals is not held against it for longer. */
const MAX_PAUSE_MS = 60_000;
/** Largest number of bodies of one client that wait. */
const MAX_WAITING = 16;

/**
 * Creates middleware that delays larger bodies of clients whose larger bodies were refused
 * (docs/decisions/refused-bodies-wait.md). Reading and judging ten megabytes, or 60 KiB of field names, costs as much
 * as ten turns, though nothing is stored or counted. Such a client has to wait after each refusal, and its bodies are
 * then read one at a time. Accepted bodies are bounded elsewhere and cause no wait. Refuses with `rate_limited` when
 * too many bodies of one client wait, or one has waited for `MAX_WAIT_MS`.
 */
export const createLargeBodyGuard = (clock: Pick<Clock, 'now' | 'after'>): RequestHandler => {
  const clients = new Map<string, RefusedClient>();
  return async (req, res, next) => {
    if (!mayHave(MIN_BYTES, req.headers)) return next();
    const name = clientOf(req);
    const alreadyRead = req.socket.bytesRead;
    const leaveQueue = await clients.get(name)?.enterQueue(res);
    if (leaveQueue) runOnceDecided(clock, req, res, leaveQueue);
    res.once('close', () => {
      const bytes = receivedBytesOf(req, alreadyRead);
      if (isRefusal(res) && bytes >= MIN_BYTES) {
        const client = clients.get(name) ?? new RefusedClient(clock, () => clients.delete(name));
        clients.set(name, client);
        client.pause(pauseOf(bytes));
      }
    });
    next();
  };
};

/** Runs `then` once: when the response has ended, or a while after the body was read. */
const runOnceDecided = (clock: Pick<Clock, 'after'>, req: Request, res: Response, then: () => void): void => {
  let stopTimer = (): void => {};
  const onEnd = (): void => {
    stopTimer = clock.after(decisionMsOf(req), onJudged);
  };
  const onJudged = (): void => {
    stopTimer();
    req.off('end', onEnd);
    res.off('close', onJudged);
    then();
  };
  req.once('end', onEnd);
  res.once('close', onJudged);
};

const decisionMsOf = ({ headers }: Request): number =>
  mayHave(LARGE_BYTES, headers) ? MAX_DECISION_MS : pauseOf(contentLengthOf(headers));

/** Reports whether a body may have this number of bytes. A body in chunks does not announce its size. */
const mayHave = (bytes: number, headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || contentLengthOf(headers) >= bytes;

const contentLengthOf = ({ 'content-length': length = '0' }: IncomingHttpHeaders): number => Number(length);

/**
 * Returns about how many bytes of the body have come. The bytes counted since `alreadyRead` lack the beginning of the
 * body, which came with the headers.
 */
const receivedBytesOf = ({ complete, headers, socket }: Request, alreadyRead: number): number =>
  Math.max(complete ? contentLengthOf(headers) : 0, socket.bytesRead - alreadyRead);

/** Reports whether the client's request was refused. An error of the server (5xx) is not the client's fault. */
const isRefusal = ({ statusCode }: Response): boolean => statusCode >= 400 && statusCode < 500;

const pauseOf = (bytes: number): number =>
  PAUSE_MS * Math.min(bytes / LARGE_BYTES, 1) + (PAUSE_MS_PER_MIB * bytes) / MIB;

/** A client whose larger bodies were refused recently. */
class RefusedClient {
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #onPauseOver: () => void;
  /** Functions that let a waiting request go on, first come, first served. */
  readonly #waiting = new Set<() => void>();
  /** Time before which no further body is read, in milliseconds of the clock. */
  #freeAt = 0;
  /** True while a body is read or judged. The next one then waits. */
  #isBusy = false;
  #stopTimer = (): void => {};

  /** `onPauseOver` is called when the pause for all refused bodies is over and nothing waits. */
  constructor(clock: Pick<Clock, 'now' | 'after'>, onPauseOver: () => void) {
    this.#clock = clock;
    this.#onPauseOver = onPauseOver;
  }

  pause(ms: number): void {
    const now = this.#clock.now();
    this.#freeAt = Math.min(Math.max(this.#freeAt, now) + ms, now + MAX_PAUSE_MS);
    this.#scheduleNext();
  }

  /**
   * Resolves when the request may go on, with the function that leaves the queue, which the caller must call. Never
   * settles if the client of `res` leaves first. Throws or rejects with `rate_limited` when too many wait, or after
   * `MAX_WAIT_MS`.
   */
  enterQueue(res: Response): Promise<() => void> {
    if (this.#waiting.size >= MAX_WAITING) throw tooManyWaitingError();
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = (): void => {
      stopTimer();
      res.off('close', leave);
      this.#waiting.delete(begin);
    };
    const begin = (): void => {
      leave();
      resolve(() => this.#leaveQueue());
    };
    const stopTimer = this.#clock.after(MAX_WAIT_MS, () => {
      leave();
      reject(tooManyWaitingError());
    });
    this.#waiting.add(begin);
    res.once('close', leave);
    return promise;
  }

  #leaveQueue(): void {
    this.#isBusy = false;
    this.#scheduleNext();
  }

  #scheduleNext(): void {
    this.#stopTimer();
    if (this.#isBusy) return;
    this.#stopTimer = this.#clock.after(Math.max(this.#freeAt - this.#clock.now(), 0), () =>
      this.#beginNext(),
    );
  }

  #beginNext(): void {
    const [begin] = this.#waiting;
    if (!begin) return this.#onPauseOver();
    this.#isBusy = true;
    begin();
  }
}

const tooManyWaitingError = (): ApiError =>
  new ApiError('rate_limited', 'Too many large bodies of this client wait after refused ones.', {
    retryAfterSeconds: RETRY_SOON_SECONDS,
  });
