/**
 * Checks over real sockets, before any key is asked for, that nobody keeps a connection for nothing and no client takes
 * all of them.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { Connection } from '../../../src/gateway/connections/connection.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
} from '../../../src/gateway/connections/connection-limits.ts';
import type { GatewayDeps } from '../../../src/gateway/deps/gateway-deps.ts';
import type { GatewaySettings } from '../../../src/gateway/deps/route-settings.ts';
import { proveLane } from '../../../src/live/http/lane-proof.ts';
import { createLaneRouter } from '../../../src/live/http/lane-router.ts';
import { doneEvent, everyKey as keys, GatewayWorld } from '../support/gateway-world.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** The timeout (ms) of limits that a test is not about: it never comes. */
const NEVER = 3_600_000;
const SLOW = { headersMs: NEVER, bodyMs: NEVER, uploadIdleMs: NEVER, stallMs: NEVER, sweepMs: 10 };
/** The timeout (ms) of the limit that a test is about. Node enforces that of headers, in real time. */
const SOON = 200;
const ADDRESS = 'http://127.0.0.1:5000';

const closers: (() => Promise<void> | void)[] = [];
const sockets: Socket[] = [];
/** The clock of the deadlines of connections, one for each test. */
let clock: ManualClock;
beforeEach(() => void (clock = new ManualClock()));
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const close of closers.splice(0)) await close();
});

const open = async (
  limits: Partial<ConnectionLimits>,
  settings: Partial<GatewaySettings> = {},
  deps: Partial<GatewayDeps> = {},
): Promise<GatewayWorld> => {
  const world = await GatewayWorld.open(settings, deps, { ...SLOW, ...limits }, clock);
  closers.push(() => world.close());
  return world;
};

const withKey = (name: string) => `Host: localhost\r\nAuthorization: Bearer ${name}\r\n`;

interface Raw {
  readonly socket: Socket;
  /** Resolves to all that came until the gateway closed the connection. */
  readonly closed: Promise<string>;
}

const dial = async (port: number, text = ''): Promise<Raw> => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (part) => (received += part.toString()));
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(() => received);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return { socket, closed };
};

/** Resolves as `what` does. Until then one sweep of the connections follows the other. */
const whileSwept = async <T>(what: Promise<T>): Promise<T> => {
  let hasSettled = false;
  void what.finally(() => (hasSettled = true)).catch(() => undefined);
  await eventually('what only a sweep brings', async () => {
    await clock.pass(SLOW.sweepMs);
    return hasSettled;
  });
  return what;
};

const answered = async ({ socket }: Raw): Promise<string> => {
  const [part] = (await once(socket, 'data')) as [Buffer];
  return part.toString();
};

describe('a connection that keeps the gateway waiting', () => {
  it.each([
    ['sends no byte', ''],
    ['stops in its headers', 'GET /health HTTP/1.1\r\nHost: loc'],
    [
      'stops in the headers of its second request',
      'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP',
    ],
  ])('is cut when it %s', async (_what, text) => {
    const world = await open({ headersMs: SOON });
    const raw = await dial(world.port, text);
    expect(await raw.closed).toMatch(/HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it.each([
    ['never sends its body', ''],
    ['drips it', '{"projectId"'],
  ])('is answered 408 when it %s, with a key or without one', async (_what, part) => {
    const world = await open({ bodyMs: SOON }, {}, { keys });
    const head = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
    const raw = await dial(world.port, `POST /api/turns HTTP/1.1\r\n${withKey('one')}${head}${part}`);
    const text = await whileSwept(raw.closed);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('"code":"request_timeout"');
    expect(text.toLowerCase()).toContain('connection: close');
    const unknown = await dial(world.port, `POST /api/turns HTTP/1.1\r\nHost: localhost\r\n${head}${part}`);
    expect(await whileSwept(unknown.closed)).toMatch(/^HTTP\/1\.1 401 /);
    const { text: metrics } = await world.get('/metrics');
    expect(metrics).toContain('orion_refusals_total{code="request_timeout"} 1\n');
  });

  it('is cut when the body of a request that was answered long ago does not end', async () => {
    const world = await open({ bodyMs: SOON });
    const raw = await dial(
      world.port,
      'GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n',
    );
    expect(await whileSwept(raw.closed)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is cut when an upload falls silent, but not while it goes on', async () => {
    const limits = { ...SLOW, bodyMs: 60_000, uploadIdleMs: 30_000, sweepMs: 1_000 };
    let taken = 0;
    const counted = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        taken += chunk.byteLength;
        yield chunk;
      }
    };
    const contents = (store: ContentStore): ContentStore => {
      const put: ContentStore['putAdmitted'] = store.putAdmitted.bind(store);
      return Object.assign(store, {
        putAdmitted: (...[source, admit]: Parameters<typeof put>) => put(counted(source), admit),
      });
    };
    const writing = await WriteSessionWorld.open(undefined, { contents }, limits, clock);
    closers.push(() => writing.close());
    const { sessionId } = writing.sessions.add();
    const head = 'Host: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
    const put = `PUT /api/write-session/${sessionId}/content HTTP/1.1\r\n${head}`;
    const silent = await dial(writing.gateway.port, `${put}4\r\ntext\r\n`);
    await eventually('its text', () => taken === 4);
    await clock.pass(32_000);
    expect(await silent.closed).toMatch(/^HTTP\/1\.1 408 /);
    const going = await dial(writing.gateway.port, put);
    for (let chunk = 1; chunk <= 25; chunk += 1) {
      going.socket.write('4\r\ntext\r\n');
      await eventually('its chunk', () => taken === 4 + 4 * chunk);
      await clock.pass(29_000);
    }
    going.socket.write('0\r\n\r\n');
    expect(await answered(going)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

const laneRouter = () =>
  createLaneRouter({
    token: 'lane-token',
    address: ADDRESS,
    receiver: { opened() {}, batch() {}, output() {}, closed() {} },
    closing: new AbortController().signal,
  });

it('the live lane sends one request for as long as its writer lives', async () => {
  const world = await open({ bodyMs: SOON, uploadIdleMs: SOON }, {}, { lane: laneRouter() });
  const proof = proveLane('lane-token', { turnId: null, epoch: 0, address: ADDRESS });
  const head = `Host: x\r\nAuthorization: ${proof}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const raw = await dial(world.port, `POST /internal/live HTTP/1.1\r\n${head}`);
  const send = (line: string) => raw.socket.write(`${line.length.toString(16)}\r\n${line}\r\n`);
  expect(await answered(raw)).toMatch(/^HTTP\/1\.1 200 /);
  for (let i = 0; i < 5; i += 1) {
    await clock.pass(2 * SOON);
    send('\n');
    await once(raw.socket, 'data');
  }
  const stranger = await dial(
    world.port,
    'POST /internal/live HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
  );
  expect(await whileSwept(stranger.closed)).toMatch(/^HTTP\/1\.1 401 /);
});

/** How many bytes a slow client reads in a millisecond. What it reads in 600 ms is more than buffers hold. */
const BYTES_PER_MS = 10_000;

describe('an answer that nobody reads', () => {
  /** Resolves once `count` requests were left before their answers were whole. */
  const aborted = async (world: GatewayWorld, count: number): Promise<void> => {
    await eventually('that it is seen', async () => {
      await clock.pass(SLOW.sweepMs);
      return world.logLines.filter(({ msg }) => msg === 'request aborted').length >= count;
    });
  };

  /**
   * Resolves to the answer of a list that waited for a heavy list. The place of the heavy list is freed only some time
   * after its client has left.
   */
  const nextAnswer = async (world: GatewayWorld, answer: Promise<string>): Promise<string> => {
    let isHere = false;
    const here = answer.finally(() => (isHere = true));
    await eventually('the place of the heavy list', async () => {
      await world.clock.pass(1_000);
      return isHere;
    });
    return here;
  };

  it('is cut, and a client that reads slowly gets all of it', async () => {
    const world = await open({ stallMs: 600 });
    world.messages.stored.push(...Array.from({ length: 50 }, (_, i) => bigMessage(i)));
    const deaf = await dial(world.port);
    deaf.socket.pause();
    deaf.socket.write(MESSAGES);
    await aborted(world, 1);
    const slow = await dial(world.port, MESSAGES);
    let bytes = 0;
    const startedAt = clock.now();
    slow.socket.on('data', (part) => {
      bytes += part.length;
      slow.socket.pause();
      void clock.pass(part.length / BYTES_PER_MS).then(() => slow.socket.resume());
    });
    await eventually('10 MB', () => bytes > 10_000_000);
    expect(clock.now() - startedAt).toBeGreaterThan(600);
  });

  it.each(['/api/conversations', '/api/turns', '/api/write-session', '/api/trace/logs'])(
    'keeps %s of its client waiting',
    async (path) => {
      const world = await open({}, {}, { keys });
      world.messages.stored.push(...Array.from({ length: 50 }, (_, i) => bigMessage(i)));
      const deaf = [await dial(world.port), await dial(world.port)];
      for (const { socket } of deaf) {
        socket.pause();
        socket.write(MESSAGES.replace('Host: localhost\r\n', withKey('one')));
      }
      await eventually('two lists', () => world.messages.lists === 2);
      const ask = (key: string): string => `GET ${path}?projectId=p HTTP/1.1\r\n${withKey(key)}\r\n`;
      const waiting = await dial(world.port, ask('one'));
      let isAnswered = false;
      const answer = answered(waiting).finally(() => (isAnswered = true));
      // This request arrives later and belongs to another client: once it is answered, the first would have been
      // answered, too, if it did not wait.
      expect(await answered(await dial(world.port, ask('two')))).toMatch(/^HTTP\/1\.1 200 /);
      expect(isAnswered).toBe(false);
      deaf[0]?.socket.destroy();
      expect(await nextAnswer(world, answer)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it('has its time limit from the first byte on, however long the gateway has run', async () => {
    const world = await open({});
    const socket = connect(world.port, '127.0.0.1');
    sockets.push(socket);
    const connection = new Connection(socket, 'somebody', 1_000_000);
    socket.write('waits until the connection is there');
    const limits = { ...CONNECTION_LIMITS, stallMs: 30_000 };
    expect(connection.closeIfLate(limits, 1_000_500, () => {})).toBeUndefined();
    expect(connection.closeIfLate(limits, 1_030_000, () => {})).toBe('reader');
  });

  it('keeps other lists of its client waiting, and further ones are refused', async () => {
    const world = await open({}, {}, { keys });
    world.messages.stored.push(...Array.from({ length: 50 }, (_, i) => bigMessage(i)));
    const ask = MESSAGES.replace('Host: localhost\r\n', withKey('one'));
    const deaf = [await dial(world.port), await dial(world.port)];
    for (const { socket } of deaf) {
      socket.pause();
      socket.write(ask);
    }
    await eventually('two lists', () => world.messages.lists === 2);
    const waiting: Raw[] = [];
    for (let i = 0; i < 16; i += 1) waiting.push(await dial(world.port, ask));
    const refused = await dial(world.port, ask);
    expect(await answered(refused)).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1/i);
    expect(world.messages.lists).toBe(2);
    const other = await dial(world.port, MESSAGES.replace('Host: localhost\r\n', withKey('two')));
    expect(await answered(other)).toMatch(/^HTTP\/1\.1 200 /);
    waiting[0]?.socket.destroy();
    deaf[0]?.socket.destroy();
    expect(await nextAnswer(world, answered(waiting[1]!))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('an unread answer of a turn that has ended is cut, too, however few bytes wait', async () => {
    const world = await open({ stallMs: SOON });
    await world.endedTurn('r1', ...Array.from({ length: 200 }, () => 'x'.repeat(64 * 1024)));
    const raw = await dial(world.port);
    raw.socket.pause();
    raw.socket.write('GET /api/turns/r1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await aborted(world, 1);
  });
});

const MESSAGES = 'GET /api/chat/messages?projectId=p HTTP/1.1\r\nHost: localhost\r\n\r\n';

const bigMessage = (i: number) => ({
  id: String(i),
  turnId: null,
  parentTurnId: null,
  projectId: 'p',
  conversationId: 'main',
  sender: 'system' as const,
  content: 'x'.repeat(200_000),
  metadata: {},
  createdAt: new Date(0),
});

describe('many connections', () => {
  const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';

  it('of an address without a key lose the oldest that linger, and newcomers are served', async () => {
    const world = await open({ maxUnknown: 5 }, {}, { keys });
    const lingering: Raw[] = [];
    for (let i = 0; i < 20; i += 1) lingering.push(await dial(world.port));
    await whileSwept(Promise.all(lingering.slice(0, 15).map(({ closed }) => closed)));
    expect(lingering.slice(15).map(({ socket }) => socket.destroyed)).toEqual(Array(5).fill(false));
    const honest = await dial(world.port, HEALTH);
    expect(await answered(honest)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of an address without a key make room while their bodies are incomplete, even with a byte now and then', async () => {
    const world = await open({ maxUnknown: 5 }, {}, { keys });
    const head = 'Host: localhost\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n';
    const dripping: Raw[] = [];
    for (let i = 0; i < 20; i += 1) {
      dripping.push(await dial(world.port, `POST /api/turns HTTP/1.1\r\n${head}x`));
    }
    const ends = await whileSwept(Promise.all(dripping.map(({ closed }) => closed)));
    expect(ends.slice(0, 15)).toEqual(Array(15).fill(''));
    for (const end of ends.slice(15)) expect(end).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each(['GET /internal/live', 'PUT /internal/live', 'POST /internal/live/r1'])(
    'of %s are not treated as those of workers',
    async (line) => {
      const world = await open({ maxUnknown: 5 }, {}, { keys, lane: laneRouter() });
      const strangers: Raw[] = [];
      for (let i = 0; i < 20; i += 1) {
        strangers.push(await dial(world.port, `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
      }
      await whileSwept(Promise.all(strangers.slice(0, 15).map(({ closed }) => closed)));
      expect(strangers.slice(15).map(({ socket }) => socket.destroyed)).toEqual(Array(5).fill(false));
    },
  );

  it('with a key count for the key, however many its address has', async () => {
    const world = await open({ maxUnknown: 1 }, {}, { keys });
    const raws: Raw[] = [];
    for (let i = 0; i < 10; i += 1) {
      const raw = await dial(world.port, `GET /api/turns/none HTTP/1.1\r\n${withKey('one')}\r\n`);
      expect(await answered(raw)).toMatch(/^HTTP\/1\.1 404 /);
      raws.push(raw);
    }
    for (const raw of raws) raw.socket.write(`GET /api/turns/none HTTP/1.1\r\n${withKey('one')}\r\n`);
    for (const answer of await Promise.all(raws.map(answered))) expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('of one key make room when they are idle and not when they are busy, and other keys do not notice', async () => {
    const world = await open({}, { maxStreamsPerClient: 10 }, { keys });
    await world.post(
      '/api/turns',
      { projectId: 'p', content: 'hi', requestId: 'r1' },
      {
        authorization: 'Bearer one',
      },
    );
    const most = 10 + 100;
    const head = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
    const busy = `POST /api/turns HTTP/1.1\r\n${withKey('one')}${head}`;
    const quiet = `GET /api/turns/r1 HTTP/1.1\r\n${withKey('one')}\r\n`;
    const idle = await dial(world.port, quiet);
    await answered(idle);
    for (let i = 0; i < most - 1; i += 1) await dial(world.port, busy);
    const next = await dial(world.port, quiet);
    expect(await answered(next)).toMatch(/^HTTP\/1\.1 200 /);
    await idle.closed;
    next.socket.write(busy);
    const tooMany = await dial(world.port, quiet);
    const text = await tooMany.closed;
    expect(text).toMatch(/^HTTP\/1\.1 429 /);
    expect(text).toContain('"code":"rate_limited"');
    const other = await dial(world.port, quiet.replace('Bearer one', 'Bearer two'));
    expect(await answered(other)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of all clients make room when they are idle, and a stream that is watched goes on', async () => {
    const world = await open({ max: 8, maxUnknown: 100 });
    await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 'r1' });
    const stream = await world.record('/api/turns/r1/events');
    const idle: Raw[] = [];
    for (let i = 0; i < 30; i += 1) idle.push(await dial(world.port));
    await Promise.all(idle.slice(0, 22).map(({ closed }) => closed));
    const honest = await dial(world.port, HEALTH);
    expect(await answered(honest)).toMatch(/^HTTP\/1\.1 200 /);
    world.say('r1', 'still here');
    world.end('r1', doneEvent('still here'));
    await stream.ended;
    expect(stream.frames).toHaveLength(2);
  });
});
