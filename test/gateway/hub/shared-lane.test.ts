/** Covers many turns on the one connection of a worker, from its publishers to the viewers' sockets. */
import { connect } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { Router } from 'express';
import type { LanePublisher } from '../../../src/live/lane.ts';
import { createLaneRouter } from '../../../src/live/http/lane-router.ts';
import { createLaneTransport } from '../../../src/live/http/lane-transport.ts';
import { eventually } from '../../support/eventually.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';
import { metricValue } from '../support/metric-value.ts';

const TOKEN = 'token-of-this-installation-0123456789';
const TURNS = 300;
const WORDS = 20;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Opens a gateway whose lane feeds its hub, and a worker that writes to it. */
const openWorld = async () => {
  const lane = Router();
  const world = await GatewayWorld.open({}, { lane });
  cleanUps.push(() => world.close());
  const { url: address, hub: receiver } = world;
  lane.use(createLaneRouter({ token: TOKEN, address, receiver, closing: world.closing.signal }));
  const transport = createLaneTransport({ token: TOKEN });
  cleanUps.push(() => transport.close());
  const start = async (turnId: string): Promise<LanePublisher> => {
    await world.post('/api/turns', {
      projectId: 'p',
      content: 'hi',
      conversationId: turnId,
      requestId: turnId,
    });
    return transport.open({ address, turnId, epoch: 101, onControl() {} });
  };
  return { world, start };
};

const openStreams = (world: GatewayWorld) => metricValue(world, 'orion_active_streams');

it('300 turns go on while the viewer of one of them reads nothing', async () => {
  const { world, start } = await openWorld();
  const ids = Array.from({ length: TURNS }, (_, i) => `turn${i}`);
  const [deaf, ...others] = await Promise.all(
    ids.map(async (id) => {
      const publisher = await start(id);
      let seq = 0;
      const say = (event: Parameters<LanePublisher['publish']>[0]['events'][number]): void => {
        seq += 1;
        publisher.publish({ epoch: 101, seq, ...(seq === 1 && { after: null }), events: [event] });
      };
      return { id, say };
    }),
  );
  const socket = connect(world.port, '127.0.0.1').pause();
  socket.write(`GET /api/turns/${deaf?.id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  cleanUps.push(() => socket.destroy());
  const viewers = await Promise.all(others.map(({ id }) => world.record(`/api/turns/${id}/events`)));
  await eventually('a stream of each turn', async () => (await openStreams(world)) === TURNS);
  for (let word = 0; word < WORDS; word += 1) {
    for (let i = 0; i < 5; i += 1) deaf?.say('x'.repeat(100_000));
    for (const { say } of others) say(`${word} `);
    await new Promise(setImmediate);
  }
  const text = Array.from({ length: WORDS }, (_, word) => `${word} `).join('');
  for (const say of [deaf?.say, ...others.map((other) => other.say)]) say?.(doneEvent(text));
  await Promise.all(viewers.map(({ ended }) => ended));
  // The turn of the deaf viewer has ended before the others, and what it said still waits to be read.
  expect(await openStreams(world)).toBe(1);
  for (const { frames } of viewers) {
    expect(frames.map(({ data }) => data['content'] ?? '').join('')).toBe(text);
    expect(frames.at(-1)?.data['fullContent']).toBe(text);
  }
});
