import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { Router } from 'express';
import { systemClock } from '../../../src/base/timing/clock.ts';
import { TurnHub } from '../../../src/gateway/hub/turn-hub.ts';
import { createRelayRouter } from '../../../src/gateway/relay/relay-router.ts';
import { createTurnRelays } from '../../../src/gateway/relay/turn-relays.ts';
import { markRedisLane } from '../../../src/live/lane-address.ts';
import { createLaneRouter } from '../../../src/live/http/lane-router.ts';
import { createLaneTransport } from '../../../src/live/http/lane-transport.ts';
import type { LaneTransport } from '../../../src/live/lane.ts';
import { createRedisFeed } from '../../../src/live/redis/redis-feed.ts';
import { createRedisTransport } from '../../../src/live/redis/redis-transport.ts';
import { FakeSources } from '../../gateway/support/hub-world.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { TOKEN } from './lane-gateway.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

/**
 * Two gateways, of which the first starts every turn, and a worker; worlds differ only in the transport between them.
 */
export interface LaneWorld {
  readonly gateways: readonly [WorldGateway, WorldGateway];
  readonly worker: LaneTransport;
  /** The address as it is in the input of turns. */
  readonly address: string;
  /** The wire that carries all of the lane. */
  readonly wire: TcpProxy;
  close(): Promise<void>;
}

export interface WorldGateway {
  readonly hub: TurnHub;
  /** Sources that are asked in vain, so that only the lane brings anything. */
  readonly sources: FakeSources;
}

/** The times (ms) are short enough for a test to wait for. */
const LIMITS = { minBackoffMs: 5, maxBackoffMs: 20, lateMs: 200, stalledMs: 300, closeMs: 10_000 };
export const REDIS_LIMITS = { ...LIMITS, checkMs: 50 };

const silentSources = (): FakeSources => Object.assign(new FakeSources(), { durableIs: 'hang' });

/** Opens a world in which workers write to the first gateway, from which the second reads. */
export const openHttpWorld = async (): Promise<LaneWorld> => {
  const closing = new AbortController();
  const router = Router();
  const server = createServer(express().use(router));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const wire = await startProxy((server.address() as AddressInfo).port);
  const { address } = wire;
  const shared = { token: TOKEN, clock: systemClock, readsRedis: false };
  const findAddress = () => Promise.resolve(address);
  const gateways = [address, 'http://127.0.0.1:1'].map((ownAddress) => {
    const sources = silentSources();
    return {
      sources,
      hub: new TurnHub({ sources, feeds: [createTurnRelays({ ...shared, ownAddress, findAddress })] }),
    };
  }) as [WorldGateway, WorldGateway];
  const [{ hub: first }] = gateways;
  const lane = { token: TOKEN, address, closing: closing.signal };
  router.use(
    createLaneRouter({ ...lane, receiver: first }),
    createRelayRouter({ ...lane, watchedTurns: first, clock: systemClock }),
  );
  const worker = createLaneTransport({ token: TOKEN, limits: LIMITS });
  const close = async (): Promise<void> => {
    worker.close();
    for (const { hub } of gateways) hub.close();
    await wire.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { gateways, worker, address, wire, close };
};

/** Opens a world in which workers write to a Redis, from which both gateways read. */
export const openRedisWorld = async (redis: RedisServer): Promise<LaneWorld> => {
  const wire = await startProxy(redis.port);
  const url = wire.address.replace('http', 'redis');
  const feeds = [1, 2].map(() => createRedisFeed({ url, token: TOKEN, limits: REDIS_LIMITS }));
  const gateways = feeds.map((feed) => {
    const sources = silentSources();
    return { sources, hub: new TurnHub({ sources, feeds: [feed] }) };
  }) as [WorldGateway, WorldGateway];
  const fallback = createLaneTransport({ token: TOKEN });
  const worker = createRedisTransport({ url, token: TOKEN, fallback, limits: REDIS_LIMITS });
  const close = async (): Promise<void> => {
    worker.close();
    for (const { hub } of gateways) hub.close();
    for (const feed of feeds) feed.close();
    await wire.close();
  };
  return { gateways, worker, address: markRedisLane('http://127.0.0.1:1'), wire, close };
};
