import { afterEach, describe, expect, it } from '@jest/globals';
import type { ProjectDay } from '../../../src/contracts/turn/project-day.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld | undefined;
afterEach(() => world?.close());

const day: ProjectDay = {
  day: '2026-01-02',
  turns: 3,
  failed: 1,
  cost: 5,
  wastedCost: 2,
  unpriced: 1,
  promptTokens: 10,
  cachedTokens: 4,
  completionTokens: 2,
  duplicatesRefused: 1,
  retriedTokens: 0,
  discardedCharacters: 0,
};

describe('GET /api/days', () => {
  it('has the days of the project that was asked for', async () => {
    world = await GatewayWorld.open();
    world.projectDays.set('p', [day]);
    expect((await world.get('/api/days?project_id=p')).body).toEqual({ days: [day] });
    expect((await world.get('/api/days?projectId=q&days=366')).body).toEqual({ days: [] });
  });

  it.each(['', 'projectId=p&days=0', 'projectId=p&days=367', 'projectId=p&days=x', 'projectId=../p'])(
    'refuses “%s”',
    async (query) => {
      world = await GatewayWorld.open();
      const { status, body } = await world.get(`/api/days?${query}`);
      expect([status, body['code']]).toEqual([400, 'validation_failed']);
    },
  );
});
