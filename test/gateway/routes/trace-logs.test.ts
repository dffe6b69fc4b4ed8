import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apiKey } from '../support/api-key.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const get = (query: string) => world.get(`/api/trace/logs${query}`);

describe('GET /api/trace/logs', () => {
  it('answers events and their total', async () => {
    world.traces.keep({
      requestId: 'turn-1',
      projectId: 'p',
      type: 'orchestration_phase_start',
      source: 'system',
      summary: 'action phase',
      details: { a: [1, 'é'] },
      phaseIndex: 0,
      cycleIndex: 0,
      at: new Date('2026-01-02T03:04:05Z'),
    });
    const { status, body } = await get('?projectId=p');
    expect(status).toBe(200);
    expect(body).toEqual({
      events: [
        {
          id: '1',
          requestId: 'turn-1',
          projectId: 'p',
          type: 'orchestration_phase_start',
          source: 'system',
          summary: 'action phase',
          details: { a: [1, 'é'] },
          phaseIndex: 0,
          cycleIndex: 0,
          error: null,
          metadata: null,
          createdAt: '2026-01-02T03:04:05.000Z',
        },
      ],
      total: 1,
      nextOffset: null,
    });
  });

  it('has defaults, a cap, and other names for fields and types', async () => {
    await get('?project_id=p');
    expect(world.traces.asked).toEqual({ projectId: 'p', limit: 50, offset: 0 });
    await get('?projectId=p&limit=100000&offset=7&requestId=r&source=tool&type=tool_executed');
    expect(world.traces.asked).toEqual({
      projectId: 'p',
      limit: 200,
      offset: 7,
      requestId: 'r',
      source: 'tool',
      type: 'tool_result',
    });
  });

  it.each([
    ['', 'projectId', 'nothing'],
    ['?projectId=', 'projectId', '""'],
    ['?projectId=p&limit=0', 'limit', '"0"'],
    ['?projectId=p&limit=-1', 'limit', '"-1"'],
    ['?projectId=p&limit=ten', 'limit', '"ten"'],
    ['?projectId=p&offset=-1', 'offset', '"-1"'],
    ['?projectId=p&offset=1.5', 'offset', '"1.5"'],
    ['?projectId=p&type=nonsense', 'type', '"nonsense"'],
    ['?projectId=p&source=model', 'source', '"model"'],
    ['?projectId=p&requestId=a%20b', 'requestId', '"a b"'],
  ])('answers 400 to %s and names the field', async (query, field, received) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'validation_failed', details: [{ field, received }] });
    expect(world.traces.asked).toBeUndefined();
  });

  it('answers 404 for a project that the key does not open: ids cannot be probed', async () => {
    await world.close();
    const own = apiKey('k', { opensAll: false, opens: (projectId) => projectId === 'mine' });
    world = await GatewayWorld.open({}, { keys: { find: () => own } });
    const key = { authorization: 'Bearer any' };
    expect((await world.get('/api/trace/logs?projectId=mine', key)).status).toBe(200);
    world.traces.asked = undefined;
    expect((await world.get('/api/trace/logs?projectId=other', key)).status).toBe(404);
    expect(world.traces.asked).toBeUndefined();
    expect((await world.get('/api/trace/logs?projectId=mine')).status).toBe(401);
  });
});
