import { Router, type Request, type Response } from 'express';
import { idSchema } from '../contracts/ids.ts';
import { LANE_PATH } from '../contracts/live-lane.ts';
import { DEFAULT_LANE_LIMITS } from './lane-limits.ts';
import { LaneReader } from './lane-reader.ts';
import { isLaneAuthorization } from './lane-token.ts';
import type { LaneLog, LaneSink } from './lane.ts';

export interface LaneRouterDeps {
  readonly token: string;
  readonly sink: LaneSink;
  /** Aborted when the gateway begins to stop: writers are let go at once, to find the next gateway. */
  readonly closing: AbortSignal;
  readonly log?: LaneLog;
  /** Told of every batch how long it was on its way. */
  readonly onLag?: (milliseconds: number) => void;
  /** Milliseconds of silence after which a writer counts as gone; three of its pings unless given. */
  readonly maxSilenceMs?: number;
}

const MAX_SILENCE_MS = 3 * DEFAULT_LANE_LIMITS.pingMs;

/**
 * Gateway side of the live lane: `POST /internal/live/:turnId`, NDJSON both ways. Mount it before anything that
 * reads or compresses bodies, and where API keys, rate limits and the Origin check do not apply.
 * Node cuts a request after `server.requestTimeout` (300 s by default): the writer then connects again at once and
 * repeats what was not acknowledged, so the gateway need not turn that protection off.
 */
export function createLaneRouter(deps: LaneRouterDeps): Router {
  const { token, sink, closing, log, onLag, maxSilenceMs = MAX_SILENCE_MS } = deps;
  const router = Router();
  const readers = new Map<string, LaneReader>();
  const open = new Set<LaneReader>();
  const releaseAll = (): void => open.forEach((reader) => reader.release());
  closing.addEventListener('abort', releaseAll, { once: true });

  router.post(`${LANE_PATH}/:turnId`, (request: Request, response: Response) => {
    if (!isLaneAuthorization(request.headers.authorization, token)) {
      return refuse(response, 401, 'unauthorized', 'Expected the token of this installation');
    }
    // Came over a connection of before. Writers take 5xx for a gateway that is away, and try again.
    if (closing.aborted) return refuse(response, 503, 'unavailable', 'This gateway is stopping');
    const turnId = idSchema.safeParse(request.params['turnId']);
    if (!turnId.success) return refuse(response, 400, 'validation_failed', 'Field turnId: not a turn id');
    const reader = new LaneReader({
      request,
      response,
      turnId: turnId.data,
      sink,
      readers,
      log,
      onLag,
      maxSilenceMs,
    });
    open.add(reader);
    response.once('close', () => open.delete(reader));
    reader.start();
  });
  return router;
}

/** The body is not read any further, so the connection cannot serve another request. */
function refuse(response: Response, status: number, code: string, error: string): void {
  response.set('connection', 'close').status(status).json({ error, code });
}
