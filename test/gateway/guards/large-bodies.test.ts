/** Checks that a client whose larger bodies are refused waits before its next one is read, and nobody else waits. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { everyKey, GatewayWorld, type HttpResponse } from '../support/gateway-world.ts';
import { eventually } from '../../support/eventually.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open({}, { keys: everyKey });
});
afterEach(() => world.close());

/**
 * Resolves once the gateway has `count` timers: one for a client that was refused, and one for each of its bodies that
 * wait.
 */
const timersAre = (count: number): Promise<true> =>
  eventually(`${count} timers`, () => world.clock.timers === count);

const LARGE = 'x'.repeat(100_000);
let turns = 0;
const send = (content: string, { key = 'ann', valid = true } = {}): Promise<HttpResponse> => {
  const id = `turn-${(turns += 1)}`;
  const body = { ...(valid && { projectId: 'p' }), conversationId: id, requestId: id, content };
  return world.post('/api/turns', body, { authorization: `Bearer ${key}` });
};
const refused = async (key = 'ann'): Promise<void> => {
  expect((await send(LARGE, { key, valid: false })).status).toBe(400);
};
const started = (id: number): boolean => world.turns.byId.has(`turn-${id}`);

describe('after a large body that was refused', () => {
  it('the next one of this client waits, and is read when its pause is over', async () => {
    await refused();
    await timersAre(1);
    const next = send(LARGE);
    const id = turns;
    await timersAre(2);
    await world.clock.pass(20);
    expect(started(id)).toBe(false);
    await world.clock.pass(20);
    expect((await next).status).toBe(202);
    while (world.clock.timers > 0) await world.clock.pass(1);
    expect((await send(LARGE)).status).toBe(202);
  });

  it('small ones and those of other clients do not wait', async () => {
    await refused();
    await timersAre(1);
    expect((await send('small')).status).toBe(202);
    expect((await send(LARGE, { key: 'bea' })).status).toBe(202);
  });

  it('those that wait are read one at a time, each after the pause for the one before', async () => {
    await refused();
    await timersAre(1);
    const next: Promise<HttpResponse>[] = [];
    for (const valid of [false, false, true]) {
      next.push(send(LARGE, { valid }));
      await timersAre(1 + next.length);
    }
    const last = turns;
    await world.clock.pass(40);
    await timersAre(3);
    await world.clock.pass(20);
    expect(world.clock.timers).toBe(3);
    await world.clock.pass(20);
    await timersAre(2);
    expect(started(last)).toBe(false);
    await world.clock.pass(40);
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([400, 400, 202]);
  });

  it('an answer that streams for long holds up the next one for a second, not to its end', async () => {
    await refused();
    await timersAre(1);
    const body = { projectId: 'p', conversationId: 'long', requestId: 'long', content: LARGE };
    const opened = world.chat(body, { authorization: 'Bearer ann' });
    await timersAre(2);
    await world.clock.pass(40);
    await opened;
    const next = send(LARGE);
    await timersAre(2);
    await world.clock.pass(1_000);
    expect((await next).status).toBe(202);
  });

  it('one of 20 KB waits, too, and costs its share of a pause; a stream that follows it adds nothing', async () => {
    const medium = 'x'.repeat(20_000);
    expect((await send(medium, { valid: false })).status).toBe(400);
    await timersAre(1);
    const body = { projectId: 'p', conversationId: 'medium', requestId: 'medium', content: medium };
    const opened = world.chat(body, { authorization: 'Bearer ann' });
    await timersAre(2);
    await world.clock.pass(5);
    expect(world.turns.byId.has('medium')).toBe(false);
    await world.clock.pass(5);
    await opened;
    const next = send(medium);
    await timersAre(2);
    await world.clock.pass(10);
    expect((await next).status).toBe(202);
  });

  it('a seventeenth is refused unread, as is one that has waited for ten seconds', async () => {
    await refused();
    await timersAre(1);
    const waiting = Array.from({ length: 16 }, () => send(LARGE, { valid: false }));
    await timersAre(17);
    const tooMany = await send(LARGE);
    expect([tooMany.status, tooMany.body['code'], tooMany.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    const [first] = waiting;
    // The pauses pass while no answer can be made, so only the first of the bodies is read.
    await world.clock.pass(10_000);
    expect((await first)?.status).toBe(400);
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
  });

  it('a client that leaves while it waits makes room for the next one', async () => {
    await refused();
    await timersAre(1);
    const leaving = new AbortController();
    const left = fetch(`${world.url}/api/turns`, {
      method: 'POST',
      headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
      body: JSON.stringify({ content: LARGE }),
      signal: leaving.signal,
    });
    await timersAre(2);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await timersAre(1);
    const next = send(LARGE);
    await timersAre(2);
    await world.clock.pass(60);
    expect((await next).status).toBe(202);
  });
});

it('small bodies that are refused keep nobody waiting', async () => {
  for (const _ of [1, 2, 3]) expect((await send('x'.repeat(3_900), { valid: false })).status).toBe(400);
  expect(world.clock.timers).toBe(0);
});

it('large bodies do not wait after one that was accepted', async () => {
  for (const _ of [1, 2, 3]) expect((await send(LARGE)).status).toBe(202);
  expect(world.clock.timers).toBe(0);
});

it('a large body counts even when its length is not announced', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(`{"content":"${LARGE}${LARGE}"}`));
      controller.close();
    },
  });
  const headers = { authorization: 'Bearer ann', 'content-type': 'application/json' };
  const answer = await fetch(`${world.url}/api/turns`, { method: 'POST', headers, body, duplex: 'half' });
  expect(answer.status).toBe(400);
  await timersAre(1);
});
