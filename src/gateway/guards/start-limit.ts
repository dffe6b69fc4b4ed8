import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { ApiError } from '../errors/api-error.ts';

const WINDOW_MS = 60_000;

/** A turn that is asked for; `named`: the client chose its id, so it may be known already. */
export interface AskedTurn {
  readonly turnId: string;
  readonly named: boolean;
}

/** Lets a turn start or throws `rate_limited`. Attaching to a known turn is free (turns.md "Rules"). */
export type AdmitStart = (req: Request, res: Response, asked: AskedTurn) => Promise<void>;

export const createStartLimit = (
  perMinute: number,
  isKnown: (turnId: string) => Promise<boolean>,
): AdmitStart => {
  if (perMinute === 0) return async () => {};
  const consume = createConsumer(perMinute);
  // Between its admission and its row a turn is known only here; repeats at once share one decision.
  const decisions = createDecisions();
  return async (req, res, { turnId, named }) => {
    if (!named) return consume(req, res);
    if (!decisions.has(turnId) && (await isKnown(turnId))) return;
    return decisions.share(turnId, () => consume(req, res));
  };
};

const createConsumer = (perMinute: number) => {
  const limiter = rateLimit({
    windowMs: WINDOW_MS,
    limit: perMinute,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    // Its complaints about proxy headers go to the console and concern deployments, not requests.
    validate: false,
    handler: (_req, res, next) => next(rateLimited(res)),
  });
  return async (req: Request, res: Response): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    await limiter(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    return promise;
  };
};

const rateLimited = (res: Response): ApiError => {
  const seconds = Number(res.getHeader('Retry-After'));
  return new ApiError('rate_limited', `Too many new turns. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
};

/** Admissions of the last one to two windows by turn; a refused one is forgotten at once. */
const createDecisions = () => {
  const recent = new Map<string, Promise<void>>();
  let oldest = Date.now();
  const forgetOld = (): void => {
    if (Date.now() - oldest < WINDOW_MS) return;
    recent.clear();
    oldest = Date.now();
  };
  return {
    has: (turnId: string): boolean => {
      forgetOld();
      return recent.has(turnId);
    },
    share: (turnId: string, decide: () => Promise<void>): Promise<void> => {
      const known = recent.get(turnId);
      if (known) return known;
      const decision = decide();
      recent.set(turnId, decision);
      decision.catch(() => recent.delete(turnId));
      return decision;
    },
  };
};
