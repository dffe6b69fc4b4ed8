import { afterEach, describe, expect, it } from '@jest/globals';
import { everyKey, GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld | undefined;
afterEach(() => world?.close());

const open = async (spent: number, reserved: number): Promise<GatewayWorld> => {
  const keys: typeof everyKey = {
    find: (name) => {
      const key = everyKey.find(name);
      return key && { ...key, ...(name === 'ann' && { costPerDay: 100 }) };
    },
  };
  world = await GatewayWorld.open({}, { keys });
  world.spent.push({ owner: 'ann', day: '2026-01-02', spent, wasted: 0, reserved });
  return world;
};
const start = (gateway: GatewayWorld, name: string, requestId: string) =>
  gateway.post(
    '/api/turns',
    { projectId: 'p', content: 'hi', requestId, conversationId: requestId },
    { authorization: `Bearer ${name}` },
  );

describe('a key that has spent what it may on a day', () => {
  it('is refused the next turn until the day ends, and nothing is stored', async () => {
    const gateway = await open(100, 0);
    const { status, headers, body } = await start(gateway, 'ann', 'first');
    expect([status, body['code'], body['details']]).toEqual([
      429,
      'budget_exceeded',
      { spent: 100, reserved: 0, limit: 100 },
    ]);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    expect(gateway.turns.byId.size).toBe(0);
    expect((await start(gateway, 'bob', 'other')).status).toBe(202);
  });

  it('is told to come back soon while the rest is only reserved', async () => {
    const { status, headers } = await start(await open(99, 1), 'ann', 'first');
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30);
  });

  it('may come back to a turn that it has started', async () => {
    const gateway = await open(99, 0);
    expect((await start(gateway, 'ann', 'first')).status).toBe(202);
    gateway.spent.length = 0;
    gateway.spent.push({ owner: 'ann', day: '2026-01-02', spent: 100, wasted: 0, reserved: 0 });
    expect((await start(gateway, 'ann', 'first')).status).toBe(202);
    expect((await start(gateway, 'ann', 'second')).status).toBe(429);
  });
});
