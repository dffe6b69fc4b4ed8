/** Covers the metrics that operators see, and who may see them. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { createGatewayMetrics } from '../../../src/gateway/health/gateway-metrics.ts';
import { apiKey } from '../support/api-key.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';
import { metricValue } from '../support/metric-value.ts';

let world: GatewayWorld;
afterEach(() => world?.close());

const keys = {
  find: (key: string) => (key === 'right' ? apiKey('ci', { opensAll: false }) : undefined),
};
const right = { authorization: 'Bearer right' };
let conversations = 0;
const inNewConversation = (fields: object) => ({
  projectId: 'p',
  content: 'hi',
  conversationId: `c${(conversations += 1)}`,
  ...fields,
});

const valueOf = (series: string) => metricValue(world, series);

describe('metrics', () => {
  it('count turns by protocol and by how they ended, each once, watched or not', async () => {
    world = await GatewayWorld.open();
    const ended = (protocol: string, status: string) =>
      valueOf(`orion_turns_total{protocol="${protocol}",status="${status}"}`);
    expect(await ended('two_stage', 'completed')).toBe(0);
    await world.post('/api/turns', inNewConversation({ requestId: 'r1' }));
    await world.post(
      '/api/turns',
      inNewConversation({ requestId: 'r2', metadata: { protocol: 'standard' } }),
    );
    await world.post('/api/turns', inNewConversation({ requestId: 'r3' }));
    expect(await valueOf('orion_turns_started_total{protocol="two_stage"}')).toBe(2);
    world.turns.end('r1', doneEvent(''));
    world.turns.end('r2', { type: 'error', code: 'model_auth', message: 'no' });
    for (const _ of [1, 2]) {
      expect(await ended('two_stage', 'completed')).toBe(1);
      expect(await ended('standard', 'failed')).toBe(1);
      expect(await ended('two_stage', 'cancelled')).toBe(0);
    }
  });

  it('count no turn that was only attached to', async () => {
    world = await GatewayWorld.open();
    const body = inNewConversation({ requestId: 'r1' });
    for (const _ of [1, 2, 3]) await world.post('/api/turns', body);
    expect(await valueOf('orion_turns_started_total{protocol="two_stage"}')).toBe(1);
  });

  it('are available without the database, and later count what ended meanwhile', async () => {
    world = await GatewayWorld.open();
    await world.post('/api/turns', inNewConversation({ requestId: 'r1' }));
    world.turns.end('r1', doneEvent(''));
    const completed = 'orion_turns_total{protocol="two_stage",status="completed"}';
    world.turns.failure = new Error('down');
    expect(await valueOf(completed)).toBe(0);
    world.turns.failure = undefined;
    expect(await valueOf(completed)).toBe(1);
  });

  it('time the first text, and only for the stream that started the turn', async () => {
    world = await GatewayWorld.open();
    const count = () => valueOf('orion_time_to_first_token_seconds_count{protocol="two_stage"}');
    const stream = await world.chat(inNewConversation({ requestId: 'r1' }));
    const other = await world.record('/api/turns/r1/events');
    expect(await count()).toBeUndefined();
    world.say('r1', 'a', 'b');
    await Promise.all(
      [stream, other].map((viewer) => viewer.next(({ data }) => JSON.stringify(data).includes('b'))),
    );
    expect(await count()).toBe(1);
  });

  it('count open streams and refusals', async () => {
    world = await GatewayWorld.open();
    const stream = await world.chat(inNewConversation({ requestId: 'r1' }));
    expect(await valueOf('orion_active_streams')).toBe(1);
    world.end('r1', doneEvent(''));
    await stream.ended;
    expect(await valueOf('orion_active_streams')).toBe(0);
    await world.get('/api/turns/unknown');
    await world.get('/api/turns/unknown');
    expect(await valueOf('orion_refusals_total{code="turn_not_found"}')).toBe(2);
  });

  it('count the refused writers of the live lane by reason', async () => {
    const metrics = createGatewayMetrics({
      findEndStatuses: () => Promise.resolve([]),
      startLimit: () => 300,
    });
    metrics.laneRefused('wrong');
    const { text } = await metrics.scrape();
    expect(text).toContain('orion_lane_refusals_total{refusal="wrong"} 1\n');
    expect(text).toContain('orion_lane_refusals_total{refusal="repeated"} 0\n');
  });

  it('need a key as soon as other machines can reach them', async () => {
    world = await GatewayWorld.open({ areMetricsPublic: false }, { keys });
    expect((await world.get('/metrics')).status).toBe(401);
    const answer = await world.get('/metrics', right);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    await world.close();
    world = await GatewayWorld.open({ areMetricsPublic: true }, { keys });
    expect((await world.get('/metrics')).status).toBe(200);
  });
});
