import { afterEach, expect, it } from '@jest/globals';
import { createLaneTransport } from '../../../src/live/http/lane-transport.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startGateway, TOKEN } from '../support/lane-gateway.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Longer than any time that a test lets pass, so that no ping is sent and no gateway is late. */
const NEVER_MS = 1e9;

it('keeps the connection for half a minute after the last writer, in case another one comes', async () => {
  const gateway = await startGateway();
  cleanUps.push(() => gateway.kill());
  const proxy = await startProxy(gateway.port);
  cleanUps.push(() => proxy.close());
  gateway.reachedAt(proxy.address);
  const clock = new ManualClock();
  const limits = { pingMs: NEVER_MS, stalledMs: NEVER_MS };
  const transport = createLaneTransport({ token: TOKEN, clock, limits });
  cleanUps.push(() => transport.close());
  const writeTurn = async (turnId: string): Promise<void> => {
    const publisher = transport.open({ address: proxy.address, turnId, epoch: 101, onControl: () => {} });
    publisher.publish({ epoch: 101, seq: 1, events: ['word'] });
    await publisher.close();
    expect(gateway.receiver.seqs(turnId)).toEqual([1]);
  };
  await writeTurn('first');
  await clock.pass(29_999);
  await writeTurn('second');
  await clock.pass(29_999);
  expect(proxy.connections).toBe(1);
  await clock.pass(1);
  await writeTurn('third');
  expect(proxy.connections).toBe(2);
});
