/**
 * Covers what only the lane over Redis has: names, bounds, and a server that is away, full, slow, or asks for a login.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@redis/client';
import { markRedisLane } from '../../../src/live/lane-address.ts';
import { createLaneTransport } from '../../../src/live/http/lane-transport.ts';
import { DEFAULT_LANE_LIMITS } from '../../../src/live/lane-limits.ts';
import type { LanePublisher } from '../../../src/live/lane.ts';
import { createRedisFeed } from '../../../src/live/redis/redis-feed.ts';
import { createRedisTransport } from '../../../src/live/redis/redis-transport.ts';
import { turnNamesOf } from '../../../src/live/redis/turn-names.ts';
import { batch } from '../../gateway/support/hub-world.ts';
import { eventually } from '../../support/eventually.ts';
import { drawFreePort } from '../../support/free-port.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { RecordingReceiver, TOKEN } from '../support/lane-gateway.ts';
import { REDIS_LIMITS } from '../support/lane-worlds.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const STRANGER = 'token-of-another-installation-98765432';
const ADDRESS = markRedisLane('http://gateway.invalid:5000');
const cleanUps: (() => unknown)[] = [];
let shared: RedisServer;
beforeAll(async () => {
  shared = await RedisServer.start();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => shared.stop());

const startServer = async (...settings: string[]): Promise<RedisServer> => {
  const server = await RedisServer.start(...settings);
  cleanUps.push(() => server.stop());
  return server;
};

class Lines {
  readonly all: string[] = [];
  readonly #keep = (fields: object, message: string): void =>
    void this.all.push(
      `${message} ${JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? { ...value, text: String(value) } : value))}`,
    );
  readonly warn = this.#keep;
  readonly info = this.#keep;
}

const workerOn = (url: string, { token = TOKEN, log = new Lines() } = {}) => {
  const fallback = createLaneTransport({ token });
  const transport = createRedisTransport({ url, token, fallback, log, limits: REDIS_LIMITS });
  cleanUps.push(() => transport.close());
  const open = (turnId: string, epoch = 101): LanePublisher =>
    transport.open({ address: ADDRESS, turnId, epoch, onControl: () => undefined });
  return { open, log, transport };
};

const readerOn = (url: string, { token = TOKEN, maxSilenceMs = 15_000, log = new Lines() } = {}) => {
  const feed = createRedisFeed({ url, token, log, limits: REDIS_LIMITS, maxSilenceMs });
  cleanUps.push(() => feed.close());
  const follow = (turnId: string, receiver = new RecordingReceiver()): RecordingReceiver => {
    cleanUps.push(feed.follow({ turnId, isStartedHere: false, from: () => null }, receiver));
    return receiver;
  };
  return { follow, log };
};

const adminOf = async (url: string) => {
  const admin = createClient({ url });
  admin.on('error', () => undefined);
  await admin.connect();
  cleanUps.push(() => admin.destroy());
  return admin;
};

const say = (publisher: LanePublisher, from: number, to = from, word = 'word'): void => {
  for (let seq = from; seq <= to; seq += 1) publisher.publish(batch(`101-${seq}`, [word]));
};
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
/** Returns the sequence numbers in the order in which they first came, since a hub drops repeats. */
const heard = (receiver: RecordingReceiver, turnId: string): number[] => [
  ...new Set(receiver.batches(turnId).flatMap(({ seq, events }) => events.map((_, i) => seq + i))),
];
const hears = (receiver: RecordingReceiver, turnId: string, last: number): Promise<void> =>
  receiver.until(() => heard(receiver, turnId).includes(last));
/** Resolves once the reader knows that somebody writes. */
const isOpened = (receiver: RecordingReceiver): Promise<void> =>
  receiver.until(() => receiver.count('opened') === 1);
const acknowledged = (publisher: LanePublisher): Promise<true> =>
  eventually('that all is acknowledged', () => publisher.isHealthy);

/** Opens a turn whose reader has its first word, on a server that then does nothing for 150 ms. */
const onSlowServer = async () => {
  const server = await startServer();
  const admin = await adminOf(server.url);
  const receiver = readerOn(server.url).follow('turn');
  const publisher = workerOn(server.url).open('turn');
  say(publisher, 1);
  await hears(receiver, 'turn', 1);
  await admin.sendCommand(['CLIENT', 'PAUSE', '150', 'ALL']);
  return { admin, receiver, publisher };
};

/** Counts the ticks of the event loop in which batches came. */
class TurnsOfLoop extends RecordingReceiver {
  readonly #turns = new Set<number>();
  #turn = 0;
  #next = setImmediate(() => this.#count());

  get turns(): number {
    return this.#turns.size;
  }

  override batch(...args: Parameters<RecordingReceiver['batch']>): void {
    this.#turns.add(this.#turn);
    super.batch(...args);
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #count(): void {
    this.#turn += 1;
    this.#next = setImmediate(() => this.#count());
  }
}

describe('a long stream', () => {
  it('is read a piece at a time, so that other work comes between', async () => {
    const admin = await adminOf(shared.url);
    const { lane } = turnNamesOf(TOKEN, 'much');
    const [entries, each] = [100, 1_000];
    for (let entry = 0; entry < entries; entry += 1) {
      const from = entry * each + 1;
      const line = JSON.stringify(
        batch(
          `101-${from}`,
          Array.from({ length: each }, () => 'word'),
        ),
      );
      await admin.xAdd(lane, `101-${from + each - 1}`, { m: `{"writer":101}\n${line}\n` });
    }
    const receiver = new TurnsOfLoop();
    cleanUps.push(() => receiver.stop());
    readerOn(shared.url).follow('much', receiver);
    await receiver.until(() => receiver.batches('much').length >= entries);
    // All batches together take about 100 ms, of which a tick of the event loop takes 5 ms.
    expect(receiver.turns).toBeGreaterThan(5);
  });
});

describe('the data in Redis', () => {
  it('has no id of a turn in its names, and no token', async () => {
    const admin = await adminOf(shared.url);
    const receiver = readerOn(shared.url).follow('turn of somebody');
    const publisher = workerOn(shared.url).open('turn of somebody');
    say(publisher, 1);
    await hears(receiver, 'turn of somebody', 1);
    const { lane } = turnNamesOf(TOKEN, 'turn of somebody');
    const names = await eventually('stream and channels', async () => {
      const all = [...(await admin.keys('*')), ...(await admin.pubSubChannels())];
      return all.filter((name) => name.startsWith(lane)).length === 3 && all;
    });
    for (const name of names) {
      expect(name).toMatch(/^orion:live:[\w-]{43}(:back)?$/);
      expect(name).not.toContain('somebody');
    }
  });

  it('is separate for each installation', async () => {
    const receiver = readerOn(shared.url).follow('same');
    const other = readerOn(shared.url, { token: STRANGER }).follow('same');
    say(workerOn(shared.url).open('same'), 1, 3);
    say(workerOn(shared.url, { token: STRANGER }).open('same'), 1, 5);
    await Promise.all([hears(receiver, 'same', 3), hears(other, 'same', 5)]);
    expect(heard(receiver, 'same')).toEqual(upTo(3));
  });

  it('is bounded, and forgotten within a minute of the last word', async () => {
    const admin = await adminOf(shared.url);
    const receiver = readerOn(shared.url).follow('long');
    const publisher = workerOn(shared.url).open('long');
    for (let seq = 1; seq <= 1_500; seq += 1) {
      say(publisher, seq);
      // The batches are awaited one by one, so that each becomes an entry of its own. They are not counted: while a
      // reader begins, a batch may come twice, live and from what is stored.
      await hears(receiver, 'long', seq);
    }
    const { lane } = turnNamesOf(TOKEN, 'long');
    expect(await admin.xLen(lane)).toBeLessThanOrEqual(1_100);
    const seconds = await admin.ttl(lane);
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it('loses what waits for a server that is away, oldest first, beyond its bound', async () => {
    const server = await startServer();
    await server.kill();
    const receiver = readerOn(server.url).follow('away');
    const publisher = workerOn(server.url).open('away');
    const characters = 1_000;
    say(publisher, 1, 3_000, 'x'.repeat(characters));
    expect(publisher.isHealthy).toBe(false);
    await server.restart();
    await hears(receiver, 'away', 3_000);
    const kept = heard(receiver, 'away');
    expect(kept).toEqual(upTo(3_000).slice(-kept.length));
    expect(kept.length).toBeLessThan(DEFAULT_LANE_LIMITS.maxBytes / characters);
    expect(kept.length).toBeGreaterThan(DEFAULT_LANE_LIMITS.maxBytes / (2 * characters));
  });
});

describe('a Redis server that', () => {
  it('comes later than worker and gateway is found', async () => {
    const server = await startServer();
    await server.kill();
    const { log, open } = workerOn(server.url);
    const receiver = readerOn(server.url).follow('turn');
    const publisher = open('turn');
    say(publisher, 1, 3);
    expect(publisher.isHealthy).toBe(false);
    await eventually('a line about it', () => log.all.length > 0);
    await server.restart();
    await hears(receiver, 'turn', 3);
    await acknowledged(publisher);
    expect(log.all.map((line) => line.split(';')[0])).toEqual(['Redis is away', 'Redis is back']);
  });

  it('is killed and comes back empty takes nothing from a turn that goes on', async () => {
    const server = await startServer();
    const receiver = readerOn(server.url).follow('turn');
    const publisher = workerOn(server.url).open('turn');
    say(publisher, 1, 3);
    await Promise.all([isOpened(receiver), hears(receiver, 'turn', 3)]);
    await server.kill();
    await receiver.until(() => receiver.count('closed') === 1);
    say(publisher, 4, 6);
    await server.restart();
    await hears(receiver, 'turn', 6);
    say(publisher, 7);
    await hears(receiver, 'turn', 7);
    expect(heard(receiver, 'turn')).toEqual(upTo(7));
    expect(receiver.count('opened')).toBe(2);
    // The server has taken what was sent before the last message, so the new stream is not kept for ever.
    const admin = await adminOf(server.url);
    expect(await admin.ttl(turnNamesOf(TOKEN, 'turn').lane)).toBeGreaterThan(0);
  });

  it('is full brings readers every word, and reports that it keeps none', async () => {
    const server = await startServer('--maxmemory', '3mb', '--maxmemory-policy', 'noeviction');
    const admin = await adminOf(server.url);
    const { log, open } = workerOn(server.url);
    const receiver = readerOn(server.url).follow('turn');
    const publisher = open('turn');
    say(publisher, 1);
    await hears(receiver, 'turn', 1);
    await acknowledged(publisher);
    await admin.configSet('maxmemory', '1mb');
    say(publisher, 2, 20);
    await hears(receiver, 'turn', 20);
    expect(heard(receiver, 'turn')).toEqual(upTo(20));
    await eventually('that it is not acknowledged', () => !publisher.isHealthy);
    expect(log.all.join()).toContain('OOM command not allowed');
    await admin.configSet('maxmemory', '100mb');
    say(publisher, 21);
    await acknowledged(publisher);
  });

  it('is frozen is given up, and what was said meanwhile arrives afterwards', async () => {
    const server = await startServer();
    const receiver = readerOn(server.url).follow('turn');
    const publisher = workerOn(server.url).open('turn');
    say(publisher, 1);
    await Promise.all([isOpened(receiver), hears(receiver, 'turn', 1)]);
    server.freeze();
    say(publisher, 2, 9);
    await receiver.until(() => receiver.count('closed') === 1);
    expect(publisher.isHealthy).toBe(false);
    server.thaw();
    await hears(receiver, 'turn', 9);
    expect(heard(receiver, 'turn')).toEqual(upTo(9));
  });

  it('is slow gets what is said meanwhile in larger entries', async () => {
    const { admin, receiver, publisher } = await onSlowServer();
    for (let seq = 2; seq <= 500; seq += 1) {
      say(publisher, seq);
      if (seq % 10 === 0) await new Promise(setImmediate);
    }
    await hears(receiver, 'turn', 500);
    expect(heard(receiver, 'turn')).toEqual(upTo(500));
    // There are four batches under way, and then all that had queued up.
    expect(await admin.xLen(turnNamesOf(TOKEN, 'turn').lane)).toBeLessThan(20);
  });
});

describe('a login', () => {
  const RIGHTS =
    '~orion:live:* &orion:live:* +xadd +xrange +expire +publish +subscribe +unsubscribe +ping +hello +select';

  it('with no more rights than docs/operations.md names is enough', async () => {
    const server = await startServer();
    const admin = await adminOf(server.url);
    await admin.sendCommand(['ACL', 'SETUSER', 'orion', 'on', '>pass/w@rd %', ...RIGHTS.split(' ')]);
    const url = `redis://orion:${encodeURIComponent('pass/w@rd %')}@127.0.0.1:${server.port}/3`;
    const { log, open } = workerOn(url);
    const reader = readerOn(url);
    const receiver = reader.follow('turn');
    const publisher = open('turn');
    say(publisher, 1, 3);
    await hears(receiver, 'turn', 3);
    await acknowledged(publisher);
    expect([log.all, reader.log.all]).toEqual([[], []]);
  });

  it('over TLS, with a certificate that this machine trusts, and not with another', async () => {
    const [tlsPort, folder] = [await drawFreePort(), await mkdtemp(join(tmpdir(), 'orion-tls-'))];
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
    ];
    execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    await startServer('--tls-port', String(tlsPort), ...files);
    const url = `rediss://localhost:${tlsPort}`;
    const { log, open } = workerOn(url);
    const publisher = open('turn');
    say(publisher, 1);
    // On a slow machine the first connection may take longer than its time limit.
    await eventually('a line about the certificate', () =>
      log.all.some((line) => line.includes('CERT')),
    ).catch((error: unknown) => {
      throw new Error(`received ${log.all.join('\n') || 'no line'}`, { cause: error });
    });
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, await readFile(certificate, 'utf8')]);
    cleanUps.push(() => setDefaultCACertificates(before));
    const receiver = readerOn(url).follow('turn');
    await hears(receiver, 'turn', 1);
    await acknowledged(publisher);
  });

  it('that is wrong, or has too few rights, costs only the lane, and is logged without its password', async () => {
    const server = await startServer();
    const admin = await adminOf(server.url);
    await admin.sendCommand([
      'ACL',
      'SETUSER',
      'orion',
      'on',
      '>correct-secret',
      '+hello',
      '+ping',
      '+publish',
    ]);
    const wrong = workerOn(`redis://orion:wrong-secret@127.0.0.1:${server.port}`);
    const weak = workerOn(`redis://orion:correct-secret@127.0.0.1:${server.port}`);
    const publishers = [wrong.open('turn'), weak.open('turn')];
    for (const publisher of publishers) say(publisher, 1);
    const isTold = ({ log }: typeof wrong, what: string) => log.all.some((line) => line.includes(what));
    await eventually('lines about it', () => isTold(wrong, 'WRONGPASS') && isTold(weak, 'NOPERM'));
    expect([...wrong.log.all, ...weak.log.all].join()).not.toContain('secret');
    expect(publishers.map((publisher) => publisher.isHealthy)).toEqual([false, false]);
  });

  it('that is wrong is logged even when the server was away first', async () => {
    const server = await startServer();
    await server.kill();
    const { log, open } = workerOn(`redis://orion:wrong-secret@127.0.0.1:${server.port}`);
    say(open('turn'), 1);
    await eventually('a line about it', () => log.all.length > 0);
    await server.restart();
    await eventually('the cause', () => log.all.some((line) => line.includes('WRONGPASS')));
    expect(log.all).toHaveLength(2);
  });
});

describe('a writer', () => {
  it('that ends without a word counts as gone', async () => {
    const wire = await startProxy(shared.port);
    cleanUps.push(() => wire.close());
    const receiver = readerOn(shared.url, { maxSilenceMs: 300 }).follow('silent');
    const { open } = workerOn(wire.address.replace('http', 'redis'));
    say(open('silent'), 1);
    await Promise.all([isOpened(receiver), hears(receiver, 'silent', 1)]);
    await wire.close();
    await receiver.until(() => receiver.count('closed') === 1);
    expect(receiver.calls.at(-1)).toBe('closed silent 101');
  });

  it('that says nothing is known to a reader that comes late', async () => {
    const publisher = workerOn(shared.url).open('thinking');
    const { follow } = readerOn(shared.url);
    const first = follow('thinking');
    await isOpened(first);
    const late = follow('thinking');
    await isOpened(late);
    await publisher.close();
    await late.until(() => late.count('closed') === 1);
  });

  it('that sends what nobody understands is ignored for the rest of its turn, unlike others', async () => {
    const admin = await adminOf(shared.url);
    const { follow, log } = readerOn(shared.url);
    const [bad, good] = [follow('bad'), follow('good')];
    const { open } = workerOn(shared.url);
    const [one, other] = [open('bad'), open('good')];
    await Promise.all([bad, good].map(isOpened));
    await admin.publish(turnNamesOf(TOKEN, 'bad').lane, '{"writer":101}\n{"epoch":"?"}\n');
    await bad.until(() => bad.count('closed') === 1);
    say(one, 1);
    say(other, 1);
    await hears(good, 'good', 1);
    expect(bad.count('batch')).toBe(0);
    expect(log.all).toHaveLength(1);
  });

  it('writes over HTTP to a gateway that does not read from Redis', async () => {
    const { log, transport } = workerOn(shared.url);
    const publisher = transport.open({
      address: 'http://127.0.0.1:1',
      turnId: 'turn',
      epoch: 101,
      onControl: () => undefined,
    });
    say(publisher, 1);
    const admin = await adminOf(shared.url);
    await publisher.close();
    expect(await admin.exists(turnNamesOf(TOKEN, 'turn').lane)).toBe(0);
    expect(log.all).toEqual([]);
  });
});

it('output reaches readers that listen, after what was published before it, and is not kept', async () => {
  const { url } = shared;
  const turnId = 'turn:output';
  const { follow } = readerOn(url);
  const receiver = follow(turnId);
  const publisher = workerOn(url).open(turnId);
  await receiver.until(() => receiver.count('opened') === 1);
  publisher.publish(batch('101-1', ['a'], null));
  publisher.output({ type: 'tool_output', callId: 'c', stream: 'stdout', content: 'one' });
  await receiver.until(() => receiver.outputs.length === 1);
  expect([receiver.seqs(turnId), receiver.outputs]).toEqual([[1], [`${turnId} stdout: one`]]);
  const later = readerOn(url).follow(turnId);
  await later.until(() => later.seqs(turnId).length === 1);
  await publisher.close();
  expect(later.outputs).toEqual([]);
});

it('output waits for batches that a slow server has not taken yet', async () => {
  const { receiver, publisher } = await onSlowServer();
  for (let seq = 2; seq <= 10; seq += 1) {
    say(publisher, seq);
    await new Promise(setImmediate);
  }
  publisher.output({ type: 'tool_output', callId: 'c', stream: 'stdout', content: 'one' });
  await receiver.until(() => receiver.outputs.length === 1);
  expect(heard(receiver, 'turn')).toEqual(upTo(10));
});
