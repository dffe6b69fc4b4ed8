/**
 * Runs the contract of the live lane on both transports, over real sockets and a real Redis, from a worker's publisher
 * to viewers.
 */
import { afterAll, beforeAll } from '@jest/globals';
import { RedisServer } from '../support/redis-server.ts';
import { describeLane } from './support/lane-contract.ts';
import { openHttpWorld, openRedisWorld } from './support/lane-worlds.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(() => redis.stop());

describeLane('HTTP', openHttpWorld);
describeLane('Redis', () => openRedisWorld(redis));
