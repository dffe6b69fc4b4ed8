import { performance } from 'node:perf_hooks';
import { Router, type Request, type Response } from 'express';
import type { Log } from '../../base/log.ts';
import { LANE_PATH } from '../../contracts/wire/live-lane.ts';
import { LaneVerifier, laneRefusalText, type LaneRefusal, type LaneVerdict } from './lane-proof.ts';
import { refuseUnread } from './refuse-unread.ts';
import { LaneReader } from './lane-reader.ts';
import type { LaneReceiver } from '../lane-receiver.ts';
import { MAX_LANE_SILENCE_MS } from '../lane-limits.ts';

export interface LaneRouterDeps {
  /** The secret that workers and gateways of an installation share. */
  readonly token: string;
  /** Base URL under which writers find this gateway; their proofs name it. */
  readonly address: string;
  readonly receiver: LaneReceiver;
  /**
   * Aborted when the gateway begins to stop. Its writers are then released at once, so that they find the next gateway.
   */
  readonly closing: AbortSignal;
  readonly log?: Pick<Log, 'warn'>;
  /** Called for every connection and every writer whose proof is refused. */
  readonly onRefused?: (refusal: LaneRefusal) => void;
  /** Called for every batch with the milliseconds that it took to arrive. */
  readonly onLag?: (milliseconds: number) => void;
  /** Milliseconds of silence after which a worker counts as gone. The default is three of its ping intervals. */
  readonly maxSilenceMs?: number;
}

const LOG_EVERY_MS = 1_000;

/**
 * Returns the gateway's side of the live lane: `POST /internal/live`, NDJSON in both directions.
 *
 * - Mount it before anything that reads or compresses bodies, and where API keys, rate limits and the Origin check do
 *   not apply.
 * - A worker proves in its Authorization header that it belongs to this installation (`lane-proof.ts`), before anything
 *   of its body is read. For each of its writers it proves that it speaks for the turn.
 * - A request may last for any time, unless the worker is silent for too long. The gateway's server must have no
 *   `requestTimeout`, which would cut workers off. They would connect again at once and repeat what was not
 *   acknowledged.
 */
export const createLaneRouter = (deps: LaneRouterDeps): Router => {
  const { closing, maxSilenceMs = MAX_LANE_SILENCE_MS } = deps;
  const judge = createJudge(deps);
  const router = Router();
  const writers = new Map<string, () => void>();
  const openReaders = new Set<LaneReader>();
  const releaseAll = (): void => openReaders.forEach((reader) => reader.release());
  closing.addEventListener('abort', releaseAll, { once: true });

  router.post(LANE_PATH, (request: Request, response: Response) => {
    // Such a request comes over a connection from before the stop. Workers treat 5xx like a gateway that is away, and
    // try again.
    if (closing.aborted) return refuseUnread(response, 503, 'unavailable', 'This gateway is stopping');
    const verify = (proof: string | undefined, turnId: string | null) => judge(proof, turnId, request);
    const verdict = verify(request.headers.authorization, null);
    if (!verdict.ok) return refuseUnread(response, 401, 'unauthorized', laneRefusalText(verdict.refusal));
    const { receiver, log, onLag } = deps;
    const reader = new LaneReader({ request, response, receiver, verify, writers, log, onLag, maxSilenceMs });
    openReaders.add(reader);
    response.once('close', () => openReaders.delete(reader));
    reader.start();
  });
  return router;
};

/** Returns a function that judges proofs, and counts and logs those that it refuses. */
const createJudge = ({ token, address, log, onRefused }: LaneRouterDeps) => {
  const verifier = new LaneVerifier(token, address);
  const logRefusal = createRefusalLog(log);
  return (proof: string | undefined, turnId: string | null, request: Request): LaneVerdict => {
    const verdict = verifier.verify(proof, turnId);
    if (!verdict.ok) {
      onRefused?.(verdict.refusal);
      logRefusal(verdict.refusal, request, turnId);
    }
    return verdict;
  };
};

/**
 * Returns a function that logs refusals. Anybody who reaches the port can cause them, so at most one a second is
 * logged, with the number of refusals that were not logged since the line before.
 */
const createRefusalLog = (log: Pick<Log, 'warn'> | undefined) => {
  let lastLoggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (refusal: LaneRefusal, { socket }: Request, turnId: string | null): void => {
    if (performance.now() - lastLoggedAt < LOG_EVERY_MS) {
      unlogged += 1;
      return;
    }
    log?.warn(
      { refusal, turnId, remoteAddress: socket.remoteAddress, unlogged },
      `a writer of the live lane was refused: ${laneRefusalText(refusal)}`,
    );
    lastLoggedAt = performance.now();
    unlogged = 0;
  };
};
