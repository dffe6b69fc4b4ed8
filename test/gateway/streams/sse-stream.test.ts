/** Covers the wire of an event stream: headers, signs of life, and clients that are slow or leave. */
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import express, { type Response } from 'express';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSseStream } from '../../../src/gateway/streams/sse-stream.ts';
import { UnsentBytesByClient } from '../../../src/gateway/streams/unsent-bytes.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';
import { eventually } from '../../support/eventually.ts';

const HEARTBEAT_MS = 15_000;

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
  await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 'r1' });
});
afterEach(() => world.close());

const EVENTS = 'GET /api/turns/r1/events HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Resolves to the raw answer as soon as `enough` returns true for it. */
const readUntil = (socket: Socket, enough: (text: string) => boolean): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const take = (part: Buffer): void => {
    text += part.toString();
    if (!enough(text)) return;
    socket.off('data', take);
    resolve(text);
  };
  socket.on('data', take);
  socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  return promise;
};

describe('an event stream', () => {
  it('begins with headers against buffering and the retry time, before any event', async () => {
    const socket = connect(world.port, '127.0.0.1');
    socket.write(EVENTS);
    const text = await readUntil(socket, (seen) => seen.includes('retry: 1000\n\n'));
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('Content-Type: text/event-stream; charset=utf-8\r\n');
    expect(text).toContain('Cache-Control: no-cache, no-transform\r\n');
    expect(text).toContain('X-Accel-Buffering: no\r\n');
    expect(text).toContain('X-Turn-Id: r1\r\n');
  });

  it('of a gateway that stops ends with a different retry time for each client, and without an end of the turn', async () => {
    const pauses = new Set<string>();
    const sockets = Array.from({ length: 5 }, () => connect(world.port, '127.0.0.1'));
    const texts = sockets.map((socket) => {
      socket.write(EVENTS);
      return readUntil(socket, (seen) => seen.endsWith('0\r\n\r\n'));
    });
    world.say('r1', 'half');
    await eventually('its timers', () => world.clock.timers === sockets.length);
    world.closing.abort();
    world.hub.close();
    for (const text of await Promise.all(texts)) {
      const [, pause = ''] = /\nretry: (\d+)\n\n\r\n0\r\n\r\n$/.exec(text) ?? [];
      expect(Number(pause)).toBeGreaterThanOrEqual(250);
      expect(Number(pause)).toBeLessThanOrEqual(1_250);
      pauses.add(pause);
      expect(text).toContain('half');
      expect(text).not.toContain('done');
    }
    expect(pauses.size).toBeGreaterThan(1);
    for (const socket of sockets) socket.destroy();
  });

  it('has a comment every 15 s while nothing happens, and no timer is left after the end', async () => {
    const socket = connect(world.port, '127.0.0.1');
    socket.write(EVENTS);
    await readUntil(socket, (seen) => seen.includes('retry'));
    for (const _ of [1, 2]) {
      const beat = readUntil(socket, (seen) => seen.includes(': hb\n\n'));
      await world.clock.pass(HEARTBEAT_MS);
      expect(await beat).not.toContain('data:');
    }
    world.end('r1', doneEvent(''));
    await eventually('its timers', () => world.clock.timers === 0);
    socket.destroy();
  });

  it('sends in one write what is said in one go', async () => {
    const socket = connect(world.port, '127.0.0.1');
    socket.write(EVENTS);
    await readUntil(socket, (seen) => seen.includes('retry'));
    const text = readUntil(socket, (seen) => seen.includes('three'));
    world.say('r1', 'one');
    world.say('r1', 'two');
    world.say('r1', 'three');
    // The chunk must look as Node's own writer would send it: its size, then its bytes.
    const [size = '', ...chunk] = (await text).split('\r\n');
    expect(Number.parseInt(size, 16)).toBe(Buffer.byteLength(chunk[0] ?? ''));
    expect(chunk[0]?.match(/^event: chunk$/gm)).toHaveLength(3);
    socket.destroy();
  });

  it('sends before the next tick of the event loop', async () => {
    const app = express();
    const { promise, resolve } = Promise.withResolvers<Response>();
    app.get('/', (_req, res) => resolve(res));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const res = await promise;
    const unsent = new UnsentBytesByClient().open('client');
    const stream = openSseStream(res, { clock: world.clock, closing: world.closing.signal, unsent });
    await readUntil(socket, (seen) => seen.includes('retry'));
    const before = res.socket?.bytesWritten ?? 0;
    stream.send(Buffer.from('data: now\n\n'));
    await Promise.resolve();
    expect(res.socket?.bytesWritten).toBeGreaterThan(before);
    socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('gives every viewer the same bytes', async () => {
    const streams = await Promise.all([1, 2, 3].map(() => world.record('/api/turns/r1/events')));
    world.say('r1', 'line one\r\nline two\u2028end', 'ü🚀');
    world.end('r1', doneEvent('x'));
    await Promise.all(streams.map(({ ended }) => ended));
    expect(streams[0]?.frames[0]?.data['content']).toBe('line one\r\nline two\u2028end');
    const seen = streams.map(({ frames }) => frames.map(({ id, event, data }) => ({ id, event, data })));
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});

describe('a client that leaves', () => {
  it('is forgotten, without a timer or viewer left', async () => {
    const attach = world.hub.attach.bind(world.hub);
    let delivered = 0;
    world.hub.attach = (turnId, after, viewer) =>
      attach(turnId, after, {
        ...viewer,
        event(...said) {
          delivered += 1;
          viewer.event(...said);
        },
      });
    const stream = await world.record('/api/turns/r1/events');
    await eventually('its timers', () => world.clock.timers === 1);
    world.say('r1', 'to somebody');
    expect(delivered).toBe(1);
    stream.close();
    await eventually('its timers', () => world.clock.timers === 0);
    world.say('r1', 'to nobody');
    expect(delivered).toBe(1);
  });

  it('is not attached when it leaves before its turn has started', async () => {
    const socket = connect(world.port, '127.0.0.1');
    const { promise: started, resolve: startNow } = Promise.withResolvers<void>();
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
    const start = world.turns.start.bind(world.turns);
    world.turns.start = async (turn) => {
      onAsked();
      await started;
      return start(turn);
    };
    const body = JSON.stringify({ projectId: 'p', content: 'hi', conversationId: 'c', requestId: 'r2' });
    socket.write(
      `POST /api/chat/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await asked;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy();
    await closed;
    await eventually('the log of an abort', () =>
      world.logLines.some(({ msg }) => msg === 'request aborted'),
    );
    startNow();
    await eventually('turn r2', () => world.turns.byId.has('r2'));
    expect(world.clock.timers).toBe(0);
  });
});

describe('a client that reads nothing', () => {
  const CHUNK = 'x'.repeat(64 * 1024);
  const CHUNKS = 400;

  /** Opens a client with a paused socket, and has the turn say 25 MiB. */
  const overwhelm = async (of: GatewayWorld): Promise<Socket> => {
    const socket = connect(of.port, '127.0.0.1');
    socket.write(EVENTS);
    await readUntil(socket, (seen) => seen.includes('retry'));
    socket.pause();
    for (let i = 0; i < CHUNKS; i += 1) of.say('r1', CHUNK);
    return socket;
  };

  it('is sent no more than a buffer holds, and cut off when it stays stuck', async () => {
    await world.close();
    world = await GatewayWorld.open({}, {}, { stallMs: 200, sweepMs: 10 });
    await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 'r1' });
    const socket = await overwhelm(world);
    const cut = new Promise((resolve) => socket.once('close', resolve));
    await eventually('its timers', () => world.clock.timers === 0);
    let received = 0;
    socket.on('data', (part) => (received += part.length)).resume();
    await cut;
    expect(received).toBeLessThan(CHUNKS * CHUNK.length);
  });

  it('gets everything in order once it reads again', async () => {
    const socket = await overwhelm(world);
    world.end('r1', doneEvent('end'));
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.resume();
    await eventually('the last event', () => Buffer.concat(parts.slice(-2)).includes('event: done'));
    const ids = [
      ...Buffer.concat(parts)
        .toString()
        .matchAll(/^id: 101-(\d+)$/gm),
    ].map(([, seq]) => Number(seq));
    expect(ids).toEqual(Array.from({ length: CHUNKS + 1 }, (_, i) => i + 1));
    socket.destroy();
  });
});

it('the waiting bytes of all viewers of one client are counted together, and apart from other clients', () => {
  const waiting = new UnsentBytesByClient();
  const [one, two, other] = [waiting.open('one'), waiting.open('one'), waiting.open('other')];
  const MIB = 1024 * 1024;
  one.add(15 * MIB);
  expect([one.isFull, two.isFull]).toEqual([false, false]);
  two.add(MIB);
  expect([one.isFull, two.isFull, other.isFull]).toEqual([true, true, false]);
  one.add(-MIB);
  expect(two.isFull).toBe(false);
  two.add(MIB);
  expect(one.isFull).toBe(true);
  one.close();
  expect(two.isFull).toBe(false);
});

it('closing the gateway ends its streams, so that their clients resume elsewhere', async () => {
  const stream = await world.record('/api/turns/r1/events');
  world.hub.close();
  await stream.ended;
  expect(stream.frames).toEqual([]);
  const next = await world.record('/api/turns/r1/events');
  await next.ended;
  expect([next.response.status, next.frames]).toEqual([200, []]);
});
