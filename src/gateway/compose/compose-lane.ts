/*
 * Where the events of running turns come in, and where other gateways read them (docs/architecture.md "One word, from
 * the provider to the browser").
 */
import { Router } from 'express';
import { systemClock } from '../../base/timing/clock.ts';
import type { TurnRepository } from '../../db/turns/turn-repository.ts';
import { createLaneRouter } from '../../live/http/lane-router.ts';
import type { TurnFeed } from '../../live/lane-receiver.ts';
import { createRedisFeed } from '../../live/redis/redis-feed.ts';
import type { ReconcileDeps } from '../../turn-service/reconcile.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { GatewayMetrics } from '../health/gateway-metrics.ts';
import { TurnHub } from '../hub/turn-hub.ts';
import { laneAddressOf } from '../connections/own-address.ts';
import { createRelayRouter } from '../relay/relay-router.ts';
import { createTurnRelays } from '../relay/turn-relays.ts';
import { createTurnSources } from '../turns/temporal-turn-sources.ts';

/** Builds the hub of a gateway over Temporal, Postgres and what other gateways and Redis bring. */
export const openHub = (
  parts: GatewayParts,
  reconcileDeps: ReconcileDeps,
  metrics: Pick<GatewayMetrics, 'laneBatchReceived'> & { readonly laneOpened: (turnId: string) => void },
): TurnHub => {
  const sources = createTurnSources(reconcileDeps);
  const feeds = [...relaysOf(parts, reconcileDeps.turns), ...redisFeedsOf(parts, metrics)];
  return new TurnHub({ sources, log: parts.log, onLaneOpened: metrics.laneOpened, feeds });
};

/**
 * Builds the internal routes: one to which workers write, and one at which other gateways read the turns that were
 * started here. Returns undefined when the live lane is off.
 */
export const createLane = (
  parts: GatewayParts,
  hub: TurnHub,
  metrics: Pick<GatewayMetrics, 'laneBatchReceived' | 'laneRefused'>,
): GatewayDeps['lane'] => {
  const address = laneAddressOf(parts.config, parts);
  if (address === undefined) return undefined;
  const { config, log, closing } = parts;
  const onLag = (milliseconds: number): void => metrics.laneBatchReceived(milliseconds / 1_000);
  const shared = { token: config.live.token, address, closing, onRefused: metrics.laneRefused };
  return Router().use(
    createLaneRouter({ ...shared, receiver: hub, log, onLag }),
    createRelayRouter({ ...shared, watchedTurns: hub, clock: systemClock }),
  );
};

const relaysOf = (parts: GatewayParts, turns: Pick<TurnRepository, 'find'>): TurnFeed[] => {
  const ownAddress = laneAddressOf(parts.config, parts);
  if (ownAddress === undefined) return [];
  const findAddress = async (turnId: string): Promise<string | undefined> => {
    const row = await turns.find(turnId);
    return row?.status === 'running' ? row.input.liveLane : undefined;
  };
  const { config, log } = parts;
  const { token, redisUrl } = config.live;
  const readsRedis = redisUrl !== undefined;
  return [createTurnRelays({ token, ownAddress, findAddress, readsRedis, clock: systemClock, log })];
};

const redisFeedsOf = (
  { config, log, closing }: GatewayParts,
  metrics: Pick<GatewayMetrics, 'laneBatchReceived'>,
): TurnFeed[] => {
  const { isEnabled, redisUrl, token } = config.live;
  if (!isEnabled || redisUrl === undefined) return [];
  const onLag = (milliseconds: number): void => metrics.laneBatchReceived(milliseconds / 1_000);
  const redis = createRedisFeed({ url: redisUrl, token, log, onLag });
  closing.addEventListener('abort', () => redis.close(), { once: true });
  return [redis];
};
