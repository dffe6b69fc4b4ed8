import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ApiErrorCode } from '../../contracts/http/errors.ts';
import { turnMessageResponseSchema, type TurnMessageResponse } from '../../contracts/http/steer-api.ts';
import { type ProtocolName, protocolNameSchema } from '../../contracts/turn/turn-facts.ts';
import { LANE_REFUSALS, type LaneRefusal } from '../../live/http/lane-proof.ts';
import { TurnEndCounter, type EndedTurn, type TurnEndCounterDeps } from './turn-end-counter.ts';

/** Bounds in seconds, from the best case on one machine to a model that thinks for a while. */
const FIRST_TEXT_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/**
 * Bounds in seconds. A start of up to 0.12 s is never slow (`TARGET_MS` in src/gateway/admission/concurrent-starts.ts).
 */
const START_BUCKETS = [0.01, 0.025, 0.05, 0.08, 0.12, 0.2, 0.5, 1, 2.5, 10];
/** Bounds in seconds of the lag of the lane. */
const LAG_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const END_STATUSES: readonly EndedTurn['status'][] = ['completed', 'cancelled', 'failed'];

/** The metrics of a gateway for Prometheus (docs/operations.md "Metrics"). Projects and ids are not labels. */
export interface GatewayMetrics {
  /** Counts a turn that this gateway has started, and later its end. */
  turnStarted(turnId: string, protocol: ProtocolName): void;
  /** Observes the time from the admission of a turn until it reaches a worker. */
  turnReached(seconds: number): void;
  /** Observes the time from the request that started the turn to the first text on its stream. */
  firstTextSent(protocol: ProtocolName, seconds: number): void;
  /** Observes how long a batch took from a worker to this gateway. */
  laneBatchReceived(seconds: number): void;
  /** Counts a writer of the lane, or another gateway that reads a turn here, whose proof was refused. */
  laneRefused(refusal: LaneRefusal): void;
  /** Counts an open stream until the returned function is called. */
  streamOpened(): () => void;
  /** Counts a request that was answered with an error. */
  refused(code: ApiErrorCode): void;
  /** Counts a message for a running turn, which that turn has accepted or which has begun the next turn. */
  steered(state: TurnMessageResponse['state']): void;
  /** Returns all metrics in the text format of Prometheus. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface GatewayMetricsDeps extends Pick<TurnEndCounterDeps, 'findEndStatuses'> {
  /** Returns how many turns may be starting at once (`ConcurrentStarts`). */
  readonly startLimit: () => number;
}

/** Creates the metrics of a gateway in a registry of their own, so that two gateways in one process share none. */
export const createGatewayMetrics = (deps: GatewayMetricsDeps): GatewayMetrics => {
  const registry = new Registry();
  const { firstText, laneLag, laneRefused, streams, refusals, steers } = createFigures([registry]);
  for (const refusal of LANE_REFUSALS) laneRefused.inc({ refusal }, 0);
  for (const state of turnMessageResponseSchema.shape.state.options) steers.inc({ state }, 0);
  return {
    ...createTurnCounts([registry], deps),
    ...createStartFigures([registry], deps),
    firstTextSent: (protocol, seconds) => firstText.observe({ protocol }, seconds),
    laneBatchReceived: (seconds) => laneLag.observe(seconds),
    laneRefused: (refusal) => laneRefused.inc({ refusal }),
    streamOpened: () => {
      streams.inc();
      return () => streams.dec();
    },
    refused: (code) => refusals.inc({ code }),
    steered: (state) => steers.inc({ state }),
    scrape: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

const createTurnCounts = (
  registers: Registry[],
  turns: Pick<TurnEndCounterDeps, 'findEndStatuses'>,
): Pick<GatewayMetrics, 'turnStarted'> => {
  const startedTurns = new Counter({
    name: 'orion_turns_started_total',
    help: 'Turns started by this gateway',
    labelNames: ['protocol'],
    registers,
  });
  const endedTurns = new Counter({
    name: 'orion_turns_total',
    help: 'Turns started by this gateway that have ended, by how they ended',
    labelNames: ['protocol', 'status'],
    registers,
    collect: () => turnEnds.countEnds(),
  });
  const turnEnds = new TurnEndCounter({
    findEndStatuses: (turnIds) => turns.findEndStatuses(turnIds),
    count: (protocol, status) => endedTurns.inc({ protocol, status }),
  });
  // A series that appears only with its first event shows no rise, so these begin with 0.
  for (const protocol of protocolNameSchema.options) {
    startedTurns.inc({ protocol }, 0);
    for (const status of END_STATUSES) endedTurns.inc({ protocol, status }, 0);
  }
  return {
    turnStarted: (turnId, protocol) => {
      startedTurns.inc({ protocol });
      turnEnds.started(turnId, protocol);
    },
  };
};

const createStartFigures = (
  registers: Registry[],
  { startLimit }: GatewayMetricsDeps,
): Pick<GatewayMetrics, 'turnReached'> => {
  const startSeconds = new Histogram({
    name: 'orion_turn_start_seconds',
    help: 'From the admission of a turn until a worker has it, over the live lane',
    buckets: START_BUCKETS,
    registers,
  });
  const limit: Gauge = new Gauge({
    name: 'orion_turn_start_limit',
    help: 'Turns that may be on their way to a worker at once; those beyond are answered 503',
    registers,
    collect: () => limit.set(startLimit()),
  });
  return { turnReached: (seconds) => startSeconds.observe(seconds) };
};

const createFigures = (registers: Registry[]) => ({
  firstText: new Histogram({
    name: 'orion_time_to_first_token_seconds',
    help: 'From the request that starts a turn to the first text on its stream',
    labelNames: ['protocol'],
    buckets: FIRST_TEXT_BUCKETS,
    registers,
  }),
  laneLag: new Histogram({
    name: 'orion_lane_lag_seconds',
    help: 'From the worker that publishes an event on the live lane to this gateway',
    buckets: LAG_BUCKETS,
    registers,
  }),
  laneRefused: new Counter({
    name: 'orion_lane_refusals_total',
    help: 'Writers of the live lane whose proof was not taken, by why',
    labelNames: ['refusal'],
    registers,
  }),
  streams: new Gauge({ name: 'orion_active_streams', help: 'Open event streams', registers }),
  steers: new Counter({
    name: 'orion_steers_total',
    help: 'Messages into turns that were accepted by a running one, or began the next',
    labelNames: ['state'],
    registers,
  }),
  refusals: new Counter({
    name: 'orion_refusals_total',
    help: 'Requests answered with an error, by its code',
    labelNames: ['code'],
    registers,
  }),
});
