/** Covers a client library that cannot be loaded at first, for example because the process has too many open files. */
import { expect, it, jest } from '@jest/globals';

let failures = 1;
jest.unstable_mockModule('@redis/client', () => {
  failures -= 1;
  if (failures >= 0) throw new Error('EMFILE: too many open files');
  return jest.requireActual<object>('@redis/client');
});
const { systemClock } = await import('../../../src/base/timing/clock.ts');
const { RedisConnection } = await import('../../../src/live/redis/redis-connection.ts');
const { RedisServer } = await import('../../support/redis-server.ts');
const { REDIS_LIMITS } = await import('../support/lane-worlds.ts');

it('a connection whose library cannot be loaded is tried again, and the failure is logged', async () => {
  const server = await RedisServer.start();
  const lines: string[] = [];
  const keep = (_: object, message: string): void => void lines.push(message);
  const connected = Promise.withResolvers<void>();
  const connection = new RedisConnection({
    url: server.url,
    limits: REDIS_LIMITS,
    clock: systemClock,
    log: { warn: keep, info: keep },
    onConnected: connected.resolve,
    onLost: () => undefined,
  });
  try {
    await connection.open();
    await connected.promise;
    expect(lines).toEqual([
      'Redis is away; text goes by signals until it is back',
      'Redis is back; the live lane goes on',
    ]);
  } finally {
    connection.close();
    await server.stop();
  }
});
