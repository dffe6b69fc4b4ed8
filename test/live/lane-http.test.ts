/** Covers writers and a gateway over real HTTP on loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LaneControl } from '../../src/contracts/wire/live-lane.ts';
import type { LanePublisher } from '../../src/live/lane.ts';
import type { LaneLimits } from '../../src/live/lane-limits.ts';
import { createLaneTransport } from '../../src/live/http/lane-transport.ts';
import {
  type Gateway,
  type GatewayOptions,
  RecordingLog,
  startGateway,
  TOKEN,
} from './support/lane-gateway.ts';
import { startProxy, type TcpProxy } from './support/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { cpuAdjustedNow } from '../support/own-time.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const gatewayWith = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const gateway = await startGateway(options);
  cleanUps.push(() => gateway.kill());
  return gateway;
};

const proxyTo = async (gateway: Gateway): Promise<TcpProxy> => {
  const proxy = await startProxy(gateway.port);
  cleanUps.push(() => proxy.close());
  gateway.reachedAt(proxy.address);
  return proxy;
};

const writerOn = (address: string, limits: Partial<LaneLimits> = {}, token = TOKEN) => {
  const log = new RecordingLog();
  const transport = createLaneTransport({
    token,
    log,
    limits: { minBackoffMs: 10, maxBackoffMs: 40, ...limits },
  });
  cleanUps.push(() => transport.close());
  const open = (turnId: string, epoch = 101, onControl: (control: LaneControl) => void = () => {}) =>
    transport.open({ address, turnId, epoch, onControl });
  return { open, log, transport };
};

const publish = (publisher: LanePublisher, from: number, to = from, content = 'word'): void => {
  for (let seq = from; seq <= to; seq += 1) publisher.publish({ epoch: 101, seq, events: [content] });
};
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const acknowledged = (publisher: LanePublisher): Promise<true> =>
  eventually('that all is acknowledged', () => publisher.isHealthy);
const unacknowledged = (publisher: LanePublisher): Promise<true> =>
  eventually('a doubt about what is acknowledged', () => !publisher.isHealthy);
/** Returns the sequence numbers in the order in which they first came, since a reader drops repeats. */
const firstSeqs = (gateway: Gateway, turnId: string): number[] => [...new Set(gateway.receiver.seqs(turnId))];

describe('a writer and its gateway', () => {
  it('delivers the batches as they are, in order, between opened and closed', async () => {
    const gateway = await gatewayWith();
    const { open } = writerOn(gateway.address);
    const publisher = open('turn:1', 102);
    publisher.publish({
      epoch: 102,
      seq: 0,
      after: '101-7',
      events: [
        { type: 'reset', fromSeq: 1 },
        'naïve 🙂\n',
        { type: 'chunk', content: 'n', notice: 'malformed' },
      ],
    });
    publisher.publish({ epoch: 102, seq: 3, events: [' end'] });
    await publisher.close();
    expect(gateway.receiver.calls).toEqual([
      'opened turn:1 102',
      'batch turn:1 102-0',
      'batch turn:1 102-3',
      'closed turn:1 102',
    ]);
    expect(gateway.receiver.batches('turn:1')[0]).toEqual({
      epoch: 102,
      seq: 0,
      after: '101-7',
      events: [
        { type: 'reset', fromSeq: 1 },
        'naïve 🙂\n',
        { type: 'chunk', content: 'n', notice: 'malformed' },
      ],
    });
  });

  it('delivers output after what was published before it, and drops output that no viewer could take', async () => {
    const gateway = await gatewayWith();
    const { open } = writerOn(gateway.address);
    const publisher = open('turn:1', 101);
    publish(publisher, 1);
    publisher.output({ type: 'tool_output', callId: 'c', stream: 'stdout', content: 'one\n' });
    publisher.output({ type: 'tool_output', callId: 'c', stream: 'stderr', content: 'two\n' });
    await publisher.close();
    publisher.output({ type: 'tool_output', callId: 'c', stream: 'stdout', content: 'late' });
    expect(gateway.receiver.outputs).toEqual(['turn:1 stdout: one\n', 'turn:1 stderr: two\n']);
    const away = writerOn('http://127.0.0.1:1').open('turn:2');
    await eventually('the gateway to be away', () => !away.isHealthy);
    away.output({ type: 'tool_output', callId: 'c', stream: 'stdout', content: 'lost' });
    await away.close();
  });

  it('delivers events that came as JSON as if it had made it itself', async () => {
    const gateway = await gatewayWith();
    const { open } = writerOn(gateway.address);
    const publisher = open('turn:1', 101);
    const batch = {
      epoch: 101,
      seq: 4,
      after: '0-3',
      events: ['naïve "🙂"\n', { type: 'reset', fromSeq: 5 } as const],
    };
    publisher.publish(batch, ['"naïve \\"🙂\\"\\n"', '{"type":"reset","fromSeq":5}']);
    await publisher.close();
    expect(gateway.receiver.batches('turn:1')).toEqual([batch]);
  });

  it('delivers an event while the writer goes on, not only at its end', async () => {
    const gateway = await gatewayWith();
    const publisher = writerOn(gateway.address).open('turn');
    for (const seq of range(1, 50)) {
      publish(publisher, seq);
      await gateway.receiver.until(() => gateway.receiver.seqs('turn').length === seq);
    }
    await acknowledged(publisher);
    expect(gateway.receiver.count('opened')).toBe(1);
  });

  it('uses one connection for all writers, at once and one after another', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const { open } = writerOn(proxy.address);
    const whole = open('whole');
    for (const turn of range(1, 10)) {
      const publisher = open(`turn${turn}`);
      publish(publisher, 1);
      publish(whole, turn);
      await publisher.close();
      expect(gateway.receiver.calls).toContain(`closed turn${turn} 101`);
    }
    await whole.close();
    expect(gateway.receiver.seqs('whole')).toEqual(range(1, 10));
    expect(proxy.connections).toBe(1);
  });

  it('splits batches that are longer than a line may be, and loses nothing', async () => {
    const gateway = await gatewayWith();
    const publisher = writerOn(gateway.address).open('turn');
    const events = range(1, 2_500).map(String);
    publisher.publish({ epoch: 101, seq: 7, after: '0-3', events });
    await publisher.close();
    const batches = gateway.receiver.batches('turn');
    expect(batches.map(({ seq, after }) => ({ seq, after }))).toEqual([
      { seq: 7, after: '0-3' },
      { seq: 1_007, after: undefined },
      { seq: 2_007, after: undefined },
    ]);
    expect(batches.flatMap((batch) => batch.events)).toEqual(events);
  });

  it('lets no turn be held up by another that says much', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const { open } = writerOn(proxy.address);
    const [much, little] = [open('much'), open('little')];
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 2);
    proxy.freeze();
    const text = 'x'.repeat(10_000);
    for (const seq of range(1, 600)) {
      publish(much, seq, seq, text);
      if (seq % 20 === 0) await new Promise(setImmediate);
    }
    publish(little, 1);
    await new Promise(setImmediate);
    publish(much, 601, 690, text);
    proxy.thaw();
    await gateway.receiver.until(() => gateway.receiver.seqs('much').includes(690));
    const at = (call: string): number => gateway.receiver.calls.indexOf(call);
    expect(at('batch little 101-1')).toBeGreaterThan(0);
    expect(at('batch little 101-1')).toBeLessThan(at('batch much 101-690'));
  });

  it.each(['cancel', 'fenced'] as const)('brings %s back to the writer', async (control) => {
    const gateway = await gatewayWith();
    const received = Promise.withResolvers<LaneControl>();
    writerOn(gateway.address).open('turn', 101, received.resolve);
    await gateway.receiver.until(() => gateway.receiver.controls.length === 1);
    gateway.receiver.controls[0]?.(control);
    await expect(received.promise).resolves.toBe(control);
  });

  it('survives a control to a writer that has left', async () => {
    const gateway = await gatewayWith();
    const publisher = writerOn(gateway.address).open('turn');
    await publisher.close();
    expect(gateway.receiver.controls.map((control) => control('cancel'))).toEqual([undefined]);
  });

  it('serves 200 writers at once, each in order', async () => {
    const gateway = await gatewayWith();
    // On a busy machine this process may pause for seconds. That must not count as a stalled gateway, to which the
    // writer would send everything again.
    const { open } = writerOn(gateway.address, { stalledMs: 60_000 });
    const publishers = range(1, 200).map((n) => open(`turn${n}`));
    for (const seq of range(1, 30)) {
      for (const publisher of publishers) publish(publisher, seq);
      if (seq % 10 === 0) await gateway.receiver.until(() => gateway.receiver.count('batch') === seq * 200);
    }
    await Promise.all(publishers.map((publisher) => publisher.close()));
    for (const n of range(1, 200)) expect(gateway.receiver.seqs(`turn${n}`)).toEqual(range(1, 30));
    expect([gateway.receiver.count('opened'), gateway.receiver.count('closed')]).toEqual([200, 200]);
  });
});

describe('when the lane breaks', () => {
  it('sends again after a cut what was not acknowledged, and the control path works again', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const controls: LaneControl[] = [];
    const publisher = writerOn(proxy.address).open('turn', 101, (control) => void controls.push(control));
    for (const cut of range(1, 5)) {
      publish(publisher, cut * 100 - 99, cut * 100 - 50);
      await gateway.receiver.until(
        () =>
          gateway.receiver.count('opened') === cut && gateway.receiver.seqs('turn').includes(cut * 100 - 50),
      );
      publish(publisher, cut * 100 - 49, cut * 100);
      proxy.cut();
    }
    await gateway.receiver.until(
      () => gateway.receiver.seqs('turn').includes(500) && gateway.receiver.count('closed') === 5,
    );
    expect(firstSeqs(gateway, 'turn')).toEqual(range(1, 500));
    gateway.receiver.controls.at(-1)?.('cancel');
    await eventually('a control', () => controls.length === 1);
    await publisher.close();
    expect(gateway.receiver.count('opened')).toBe(gateway.receiver.count('closed'));
  });

  it('finds a gateway that was restarted on its port', async () => {
    const first = await gatewayWith();
    const { open, log } = writerOn(first.address);
    const publisher = open('turn');
    publish(publisher, 1, 10);
    await first.receiver.until(() => first.receiver.seqs('turn').length === 10);
    await acknowledged(publisher);
    await first.kill();
    await unacknowledged(publisher);
    publish(publisher, 11, 20);
    const second = await gatewayWith({ port: first.port });
    await second.receiver.until(() => second.receiver.seqs('turn').includes(20));
    expect(firstSeqs(second, 'turn').slice(-10)).toEqual(range(11, 20));
    await acknowledged(publisher);
    expect(log.lines).toHaveLength(1);
  });

  it.each([
    ['goes on with the next gateway where a stopping one left off', false],
    ['that has said its last word says it again to the next gateway', true],
  ])('%s', async (_, isLast) => {
    const first = await gatewayWith();
    // A writer at its end gives up when it finds nobody, so its next try must not come before the next gateway does.
    // The long `stalledMs` keeps a slow machine from looking like a second outage.
    const limits = { closeMs: 60_000, minBackoffMs: 200, maxBackoffMs: 200, stalledMs: 100_000 };
    const { open, log } = writerOn(first.address, limits);
    const publisher = open('turn');
    publish(publisher, 1, 10);
    await first.receiver.until(() => first.receiver.seqs('turn').length === 10);
    publish(publisher, 11, 20);
    const closed = isLast ? publisher.close() : undefined;
    await first.stop();
    const second = await gatewayWith({ port: first.port });
    publish(publisher, 21, 30);
    const last = isLast ? 20 : 30;
    await second.receiver.until(() => second.receiver.seqs('turn').includes(last));
    await (closed ?? publisher.close());
    const taken = first.receiver.seqs('turn');
    expect([taken.slice(0, 10), second.receiver.seqs('turn')]).toEqual([
      range(1, 10),
      range(taken.length + 1, last),
    ]);
    expect(log.lines).toHaveLength(1);
  });

  it('keeps the newest events of a long absence, and no more than its bound', async () => {
    const gateway = await gatewayWith();
    await gateway.kill();
    const publisher = writerOn(gateway.address, { maxLines: 20 }).open('turn');
    publish(publisher, 1, 1000);
    const back = await gatewayWith({ port: gateway.port });
    await back.receiver.until(() => back.receiver.seqs('turn').includes(1000));
    expect(back.receiver.seqs('turn')).toEqual(range(981, 1000));
  });

  it('does not wait at the end for a gateway that is away', async () => {
    const gateway = await gatewayWith();
    await gateway.kill();
    const publisher = writerOn(gateway.address, { closeMs: 60_000 }).open('turn');
    publish(publisher, 1);
    await publisher.close();
    expect(publisher.isHealthy).toBe(false);
  });

  it('outlives the request timeout of the gateway', async () => {
    const gateway = await gatewayWith({
      server: { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 20 },
    });
    const publisher = writerOn(gateway.address).open('turn');
    let seq = 0;
    const talking = setInterval(() => publish(publisher, (seq += 1)), 5);
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 4);
    clearInterval(talking);
    await publisher.close();
    expect(firstSeqs(gateway, 'turn')).toEqual(range(1, seq));
  });
});

describe('a writer that has nothing to say yet', () => {
  it('is nevertheless answered, and does not disturb the connection of the others', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    // With `lateMs: 0` an answer that is still expected counts as late, and the connection is cut if it does not come.
    const limits = { lateMs: 0, stalledMs: 10_000, pingMs: 60_000 };
    const { open, log } = writerOn(proxy.address, limits);
    const first = open('first');
    publish(first, 1);
    await first.close();
    const quiet = open('quiet');
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 2);
    await acknowledged(quiet);
    expect([proxy.connections, log.lines]).toEqual([1, []]);
  });
});

describe('a gateway that takes connections and never answers', () => {
  it('does not hold up the end of a turn once a connection to it has failed', async () => {
    const sockets: Socket[] = [];
    const deaf = createTcpServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      if (sockets.length === 1) socket.destroy();
    });
    await new Promise<void>((resolve) => void deaf.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => {
      deaf.close();
      for (const socket of sockets) socket.destroy();
    });
    const address = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const publisher = writerOn(address, { stalledMs: 30_000, closeMs: 40_000 }).open('turn');
    publish(publisher, 1);
    await eventually('the next try', () => sockets.length === 2);
    const since = cpuAdjustedNow();
    await publisher.close();
    expect(cpuAdjustedNow() - since).toBeLessThan(10_000);
  });
});

describe('when the gateway is frozen', () => {
  it('holds no more for all writers together than the bound of their connection', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    // The times are longer than a busy machine needs, so that only the cut makes a new connection, and the end waits
    // for what it brings.
    const { open } = writerOn(proxy.address, {
      maxLinkBytes: 2_000_000,
      stalledMs: 100_000,
      closeMs: 100_000,
    });
    const publishers = range(1, 100).map((n) => open(`turn${n}`));
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 100);
    proxy.freeze();
    const text = 'x'.repeat(10_000);
    for (const seq of range(1, 100)) {
      for (const publisher of publishers) publish(publisher, seq, seq, text);
      await new Promise(setImmediate);
    }
    // Nothing is acknowledged meanwhile, so the new connection brings exactly what the writers held.
    proxy.cut();
    const before = gateway.receiver.count('batch');
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 200);
    await Promise.all(publishers.map((publisher) => publisher.close()));
    expect(gateway.receiver.count('batch') - before).toBeGreaterThan(100);
    expect(gateway.receiver.count('batch') - before).toBeLessThanOrEqual(200);
  });

  it('notices, does not block, and goes on when it wakes', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const publisher = writerOn(proxy.address, { lateMs: 300 }).open('turn');
    publish(publisher, 1);
    await gateway.receiver.until(() => gateway.receiver.seqs('turn').length === 1);
    await acknowledged(publisher);
    proxy.freeze();
    publish(publisher, 2, 40, 'x'.repeat(20_000));
    await unacknowledged(publisher);
    proxy.thaw();
    await gateway.receiver.until(() => gateway.receiver.seqs('turn').includes(40));
    await acknowledged(publisher);
    expect(gateway.receiver.seqs('turn')).toEqual(range(1, 40));
    expect(proxy.connections).toBe(1);
  });

  it('makes a new connection after a while; the gateway forgets the old one before it serves the new', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const publisher = writerOn(proxy.address, { stalledMs: 150 }).open('turn');
    publish(publisher, 1);
    await acknowledged(publisher);
    const before = gateway.receiver.count('opened');
    proxy.freeze();
    publish(publisher, 2);
    await gateway.receiver.until(() => gateway.receiver.seqs('turn').includes(2));
    expect(gateway.receiver.count('opened')).toBeGreaterThan(before);
    await publisher.close();
    // A machine that holds all processes up for 150 ms looks frozen, too, so there may be more than one new connection.
    const order = gateway.receiver.calls.filter((call) => !call.startsWith('batch'));
    expect(order).toEqual(order.map((_, i) => `${i % 2 === 0 ? 'opened' : 'closed'} turn 101`));
    expect(gateway.receiver.count('closed')).toBe(gateway.receiver.count('opened'));
  });

  it('holds back no more than its bound and ends in time', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const publisher = writerOn(proxy.address, { closeMs: 100 }).open('turn');
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 1);
    proxy.freeze();
    const text = 'x'.repeat(100_000);
    for (const seq of range(1, 1_000)) {
      publish(publisher, seq, seq, text);
      if (seq % 20 === 0) await new Promise(setImmediate);
    }
    proxy.thaw();
    await gateway.receiver.until(() => gateway.receiver.seqs('turn').includes(1_000));
    // The buffers of four sockets hold some megabytes, and the publisher holds one.
    expect(gateway.receiver.seqs('turn').length).toBeLessThan(300);
    proxy.freeze();
    publish(publisher, 1_001);
    await publisher.close();
    expect(() => publish(publisher, 1_002)).not.toThrow();
  });

  it('learns, when it wakes, of the end of a writer that did not wait for it', async () => {
    const gateway = await gatewayWith();
    const proxy = await proxyTo(gateway);
    const { open } = writerOn(proxy.address, { closeMs: 100 });
    const [publisher] = [open('turn'), open('other')];
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 2);
    proxy.freeze();
    const text = 'x'.repeat(100_000);
    for (const seq of range(1, 1_000)) {
      publish(publisher, seq, seq, text);
      if (seq % 20 === 0) await new Promise(setImmediate);
    }
    await publisher.close();
    proxy.thaw();
    await gateway.receiver.until(() => gateway.receiver.count('closed') === 1);
    expect(gateway.receiver.calls.at(-1)).toBe('closed turn 101');
    expect(proxy.connections).toBe(1);
  });

  it('hears pings while the model thinks, so that a living writer differs from a dead one', async () => {
    // The silence spans forty pings, so that the living writer is heard in time on a machine that holds it up for a
    // second.
    const gateway = await gatewayWith({ maxSilenceMs: 2_000 });
    writerOn(gateway.address, { pingMs: 50 }).open('thinking');
    await gateway.receiver.until(() => gateway.receiver.count('opened') === 1);
    writerOn(gateway.address, { pingMs: 60_000 }).open('frozen');
    await gateway.receiver.until(() => gateway.receiver.count('closed') === 1);
    expect(gateway.receiver.calls).toEqual(['opened thinking 101', 'opened frozen 101', 'closed frozen 101']);
  });
});

describe('a gateway that answers in another way', () => {
  /** Starts a server that answers every request with `answer`, and returns its address and how many requests came. */
  const answering = async (answer: (response: ServerResponse, request: IncomingMessage) => void) => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      answer(response, request);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const { port } = server.address() as AddressInfo;
    return { address: `http://127.0.0.1:${port}`, requests: () => requests };
  };

  it.each([
    ['with 404', (response: ServerResponse) => void response.writeHead(404).end('<html>')],
    ['with text', (response: ServerResponse) => void response.writeHead(200).write('hello?\n')],
    [
      'that a line is bad',
      (response: ServerResponse) => void response.writeHead(200).write('{"error":"bad"}\n'),
    ],
  ])('%s is not asked again, after one log line', async (_, answer) => {
    const server = await answering(answer);
    const { open, log } = writerOn(server.address);
    const publisher = open('turn');
    await eventually('a line of the log', () => log.lines.length === 1);
    await publisher.close();
    expect([publisher.isHealthy, server.requests(), log.lines.length]).toEqual([false, 1, 1]);
  });

  it('with 503 gets the request again', async () => {
    const server = await answering((response) => void response.writeHead(503).end());
    writerOn(server.address).open('turn');
    await eventually('four requests', () => server.requests() === 4);
  });

  it('and acknowledges nothing is not healthy, although it lives', async () => {
    const server = await answering((response, request) => {
      response.flushHeaders();
      request.on('data', () => response.write('\n'));
    });
    const publisher = writerOn(server.address, { lateMs: 200 }).open('turn');
    await acknowledged(publisher);
    publish(publisher, 1);
    await unacknowledged(publisher);
    publish(publisher, 2);
    await new Promise(setImmediate);
    expect(publisher.isHealthy).toBe(false);
  });
});

describe('an address or token that cannot work', () => {
  it('is given up with one log line when the token is wrong', async () => {
    const gateway = await gatewayWith();
    let requests = 0;
    gateway.server.on('request', () => (requests += 1));
    const { open, log } = writerOn(gateway.address, {}, 'another token');
    const publisher = open('turn');
    publish(publisher, 1, 100, 'x'.repeat(10_000));
    await eventually('a line of the log', () => log.lines.length > 0);
    publish(publisher, 101);
    await publisher.close();
    expect(publisher.isHealthy).toBe(false);
    expect(requests).toBe(1);
    expect(log.lines).toHaveLength(1);
    expect(gateway.receiver.calls).toEqual([]);
  });

  it.each(['not a url', 'ftp://127.0.0.1:1', ''])(
    'is silent after one log line for the address "%s"',
    async (address) => {
      const { open, log } = writerOn(address);
      const publisher = open('turn');
      publish(publisher, 1);
      await publisher.close();
      expect([publisher.isHealthy, log.lines.length]).toEqual([false, 1]);
    },
  );

  it('gets one log line when it lies beyond this machine and nobody has allowed it', async () => {
    const { open, log } = writerOn('http://192.0.2.1:5000');
    for (const turn of ['turn1', 'turn2']) {
      const publisher = open(turn);
      publish(publisher, 1);
      await publisher.close();
      expect(publisher.isHealthy).toBe(false);
    }
    expect(log.lines).toEqual([expect.stringContaining('ORION_LIVE_ALLOWED_ADDRESSES')]);
  });
});
