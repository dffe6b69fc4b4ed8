import { afterEach, describe, expect, it } from '@jest/globals';
import type { DaySpend } from '../../../src/db/usage/spend-repository.ts';
import { everyKey, GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld | undefined;
afterEach(() => world?.close());

const day = (owner: string): DaySpend => ({ owner, day: '2026-01-02', spent: 5, wasted: 1, reserved: 2 });
const open = async (isOperator: boolean): Promise<GatewayWorld> => {
  const keys: typeof everyKey = {
    find: (name) => {
      const key = everyKey.find(name);
      return key && { ...key, opensAll: isOperator };
    },
  };
  world = await GatewayWorld.open({}, { keys });
  world.spent.push(day('ann'), day('bob'));
  return world;
};
const as = (name: string) => ({ authorization: `Bearer ${name}` });

describe('GET /api/costs', () => {
  it('shows the operator what each key has spent', async () => {
    const { status, body } = await (await open(true)).get('/api/costs', as('ann'));
    expect(status).toBe(200);
    const { owner: _ann, ...sums } = day('ann');
    expect(body).toEqual({
      costs: [
        { key: 'ann', ...sums },
        { key: 'bob', ...sums },
      ],
      more: false,
    });
  });

  it('shows every other key only its own costs', async () => {
    const { body } = await (await open(false)).get('/api/costs?days=366', as('bob'));
    expect(body).toMatchObject({ costs: [{ key: 'bob' }] });
    expect(body['costs']).toHaveLength(1);
  });

  it.each(['days=0', 'days=367', 'days=x', 'limit=1001'])('refuses %s', async (query) => {
    const { status, body } = await (await open(true)).get(`/api/costs?${query}`, as('ann'));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'validation_failed' });
  });
});
