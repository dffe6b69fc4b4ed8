import type { Request, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { accessOf, clientOf } from '../access/access.ts';
import type { Clock } from '../../base/timing/clock.ts';
import { ApiError } from '../errors/api-error.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import type { KeyTurnLimit } from './key-turn-limit.ts';

const WINDOW_MS = 60_000;

/** A turn that a request asks for. `isIdGiven` is true when the client chose its id, so the turn may exist already. */
export interface RequestedTurn {
  readonly turn: Pick<NewTurn, 'turnId' | 'projectId' | 'protocol'>;
  readonly isIdGiven: boolean;
}

/**
 * Lets a turn start, or rejects with `rate_limited`. Attaching to a known turn is free (docs/http-api.md), unless the
 * turn belongs to another project, because guessing ids must cost something. Call the returned function once the turn's
 * row is stored, or will not be.
 */
export type AdmitStart = (req: Request, res: Response, turn: RequestedTurn) => Promise<() => void>;

/**
 * Lets a note be stored, or rejects with `rate_limited`. A note counts like a turn, and a repeat of it counts again.
 */
export type AdmitNote = (req: Request, res: Response) => Promise<void>;

/** The checks before every start of a turn and every note. */
export interface StartLimit {
  readonly admitStart: AdmitStart;
  readonly admitNote: AdmitNote;
}

export interface StartLimitDeps {
  /** Largest number of starts of turns and notes of one client in a minute. 0 means no limit. */
  readonly perMinute: number;
  readonly keyTurnLimit: Pick<KeyTurnLimit, 'reserve'>;
  /** Returns the project of a turn, or undefined for an unknown turn. */
  readonly findProject: (turnId: string) => Promise<string | undefined>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Creates the checks of `StartLimit`. Starts and notes of a client are limited to `perMinute` in each minute, and turns
 * of a key that run at once by `keyTurnLimit`.
 */
export const createStartLimit = ({ perMinute, ...deps }: StartLimitDeps): StartLimit => {
  const consume = perMinute === 0 ? undefined : createConsumer(perMinute);
  return {
    admitStart: createAdmitStart(deps, consume),
    admitNote: async (req, res) => consume?.(req, res),
  };
};

const createAdmitStart = (
  { keyTurnLimit, findProject, clock }: Omit<StartLimitDeps, 'perMinute'>,
  consume: AdmitNote | undefined,
): AdmitStart => {
  // Until its row is stored, an admitted turn is known only here. Simultaneous repeats share one decision.
  const decisions = createDecisions(clock);
  return async (req, res, { turn, isIdGiven }) => {
    const key = accessOf(req).name;
    if (!consume && key === undefined) return releaseNothing;
    const { turnId, projectId } = turn;
    const id = `${projectId} ${turnId}`;
    if (isIdGiven && !decisions.has(id) && (await findProject(turnId)) === projectId) return releaseNothing;
    if (consume) await (isIdGiven ? decisions.share(id, () => consume(req, res)) : consume(req, res));
    return key === undefined ? releaseNothing : keyTurnLimit.reserve(key, turn);
  };
};

const releaseNothing = (): void => {};

const createConsumer = (perMinute: number) => {
  const limiter = rateLimit({
    windowMs: WINDOW_MS,
    limit: perMinute,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    keyGenerator: clientOf,
    // The library complains about proxy headers on the console, which concern the deployment, not a request.
    validate: false,
    handler: (_req, res, next) => next(rateLimitedError(res)),
  });
  return async (req: Request, res: Response): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    await limiter(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    return promise;
  };
};

const rateLimitedError = (res: Response): ApiError => {
  const seconds = Number(res.getHeader('Retry-After'));
  return new ApiError('rate_limited', `Too many new messages. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
};

/**
 * Creates a memory of decisions, by turn. One that admits the turn is kept for at least one window, and for at most two
 * while requests come. One that refuses it is forgotten at once.
 */
const createDecisions = (clock: Pick<Clock, 'now'>) => {
  let recent = new Map<string, Promise<void>>();
  let earlier = new Map<string, Promise<void>>();
  let since = clock.now();
  const find = (id: string): Promise<void> | undefined => recent.get(id) ?? earlier.get(id);
  const forgetOld = (): void => {
    if (clock.now() - since < WINDOW_MS) return;
    earlier = recent;
    recent = new Map();
    since = clock.now();
  };
  return {
    has: (id: string): boolean => {
      forgetOld();
      return find(id) !== undefined;
    },
    share: (id: string, decide: () => Promise<void>): Promise<void> => {
      const known = find(id);
      if (known) return known;
      const decision = decide();
      const window = recent.set(id, decision);
      decision.catch(() => window.delete(id));
      return decision;
    },
  };
};
