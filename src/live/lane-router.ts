import { performance } from 'node:perf_hooks';
import { Router, type Request, type Response } from 'express';
import { idSchema } from '../contracts/ids.ts';
import { LANE_PATH } from '../contracts/wire/live-lane.ts';
import { LaneVerifier, type LaneRefusal } from './lane-proof.ts';
import { LaneReader } from './lane-reader.ts';
import { type LaneLog, type LaneSink, DEFAULT_LANE_LIMITS } from './lane.ts';

export interface LaneRouterDeps {
  /** Shared by the workers and gateways of an installation. */
  readonly token: string;
  /** Base URL under which writers are told to find this gateway: their proofs name it. */
  readonly address: string;
  readonly sink: LaneSink;
  /** Aborted when the gateway begins to stop: writers are let go at once, to find the next gateway. */
  readonly closing: AbortSignal;
  readonly log?: LaneLog;
  /** Told of every connection whose proof was not taken. */
  readonly onRefused?: (refusal: LaneRefusal) => void;
  /** Told of every batch how long it was on its way. */
  readonly onLag?: (milliseconds: number) => void;
  /** Milliseconds of silence after which a writer counts as gone; three of its pings unless given. */
  readonly maxSilenceMs?: number;
}

const COMPLAINT_EVERY_MS = 1_000;
const MAX_SILENCE_MS = 3 * DEFAULT_LANE_LIMITS.pingMs;

/**
 * Gateway side of the live lane: `POST /internal/live/:turnId`, NDJSON both ways. Mount it before anything that
 * reads or compresses bodies, and where API keys, rate limits and the Origin check do not apply: a writer proves in
 * its Authorization header that it belongs to this installation (`lane-proof.ts`), before anything of it is read.
 * One request lasts as long as its writer. A server with a `requestTimeout` would cut it; the writer then connects again
 * at once and repeats what was not acknowledged. The gateway's has none: here silence ends a request, not its length.
 */
export const createLaneRouter = (deps: LaneRouterDeps): Router => {
  const { sink, closing, log, onLag, onRefused, maxSilenceMs = MAX_SILENCE_MS } = deps;
  const verifier = new LaneVerifier(deps.token, deps.address);
  const complain = createComplaints(log);
  const router = Router();
  const readers = new Map<string, LaneReader>();
  const open = new Set<LaneReader>();
  const releaseAll = (): void => open.forEach((reader) => reader.release());
  closing.addEventListener('abort', releaseAll, { once: true });

  router.post(`${LANE_PATH}/:turnId`, (request: Request, response: Response) => {
    // Came over a connection of before. Writers take 5xx for a gateway that is away, and try again.
    if (closing.aborted) return refuse(response, 503, 'unavailable', 'This gateway is stopping');
    const turnId = idSchema.safeParse(request.params['turnId']);
    if (!turnId.success) return refuse(response, 400, 'validation_failed', 'Field turnId: not a turn id');
    const verdict = verifier.verify(request.headers.authorization, turnId.data);
    if (!verdict.ok) {
      onRefused?.(verdict.refusal);
      complain(verdict.refusal, request, turnId.data);
      return refuse(response, 401, 'unauthorized', REFUSALS[verdict.refusal]);
    }
    const reader = new LaneReader({
      request,
      response,
      turnId: turnId.data,
      epoch: verdict.epoch,
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
};

/** The body is not read any further, so the connection cannot serve another request. */
const refuse = (response: Response, status: number, code: string, error: string): void => {
  response.set('connection', 'close').status(status).json({ error, code });
};

const REFUSALS: Readonly<Record<LaneRefusal, string>> = {
  missing: 'Expected a proof of this installation (Authorization: Orion-Lane …)',
  wrong: 'The proof is of another installation, turn or gateway address',
  stale: 'The proof is too old, or the clocks of worker and gateway differ by more than 5 minutes',
  repeated: 'The proof has been used before',
};

/** Anybody who reaches the port can cause these lines: at most one a second, with the count of those left out. */
const createComplaints = (log: LaneLog | undefined) => {
  let toldAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (refusal: LaneRefusal, { socket }: Request, turnId: string): void => {
    if (performance.now() - toldAt < COMPLAINT_EVERY_MS) {
      unlogged += 1;
      return;
    }
    log?.warn(
      { refusal, turnId, remoteAddress: socket.remoteAddress, unlogged },
      `A writer of the live lane was refused: ${REFUSALS[refusal]}`,
    );
    toldAt = performance.now();
    unlogged = 0;
  };
};
