/**
 * Checks that a reader gets the same events at a gateway that did not start the turn as at the one that did, as they
 * happen. When the gateway that started it is gone, the other one asks the workflow, and nothing is lost or doubled.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { Router } from 'express';
import fc from 'fast-check';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import { TurnHub } from '../../../src/gateway/hub/turn-hub.ts';
import { createRelayRouter } from '../../../src/gateway/relay/relay-router.ts';
import { createTurnRelays } from '../../../src/gateway/relay/turn-relays.ts';
import { markRedisLane, signLaneAddress } from '../../../src/live/lane-address.ts';
import { type Clock, systemClock } from '../../../src/base/timing/clock.ts';
import { proveLane } from '../../../src/live/http/lane-proof.ts';
import { formatEventId } from '../../../src/contracts/wire/event-id.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { AwaitedViewer, batch, done, FakeSources, loggedEvent, TURN } from '../support/hub-world.ts';

const TOKEN = 'token-of-this-installation-0123456789';
const STRANGER = 'token-of-another-installation-98765432';

interface TestGateway {
  readonly hub: TurnHub;
  readonly sources: FakeSources;
  readonly address: string;
  readonly server: Server;
  readonly closing: AbortController;
  readonly refusals: string[];
}

const running: TestGateway[] = [];

/**
 * Starts a gateway that serves only relays; `startedAt` returns the address of the gateway that started every turn it
 * is asked about.
 */
const startGateway = async (
  startedAt: () => string | undefined = () => undefined,
  { token = TOKEN, port = 0, clock = systemClock }: { token?: string; port?: number; clock?: Clock } = {},
): Promise<TestGateway> => {
  const sources = new FakeSources();
  const router = Router();
  const app = express().use(router);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const findAddress = () => Promise.resolve(startedAt());
  const relays = createTurnRelays({
    token,
    ownAddress: address,
    findAddress,
    readsRedis: false,
    clock,
  });
  const hub = new TurnHub({ sources, feeds: [relays] });
  const closing = new AbortController();
  const refusals: string[] = [];
  const onRefused = (refusal: string): void => void refusals.push(refusal);
  router.use(
    createRelayRouter({ token, address, watchedTurns: hub, closing: closing.signal, clock, onRefused }),
  );
  const gateway = { hub, sources, address, server, closing, refusals };
  running.push(gateway);
  return gateway;
};

const kill = async ({ hub, server }: TestGateway): Promise<void> => {
  hub.close();
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
};

afterEach(async () => {
  await Promise.all(running.splice(0).map(kill));
});

/**
 * Starts two gateways, and a reader at the one that did not start the turn; the second gateway's questions to the
 * workflow get no answer.
 */
const startPair = async () => {
  const first = await startGateway();
  const second = await startGateway(() => first.address);
  const controls: LaneControl[] = [];
  first.hub.expect(TURN);
  first.hub.opened(TURN, 101, (control) => void controls.push(control));
  second.sources.durableIs = 'hang';
  const viewer = new AwaitedViewer();
  const detach = second.hub.attach(TURN, null, viewer);
  return { first, second, viewer, detach, controls };
};

describe('a reader at the gateway that did not start the turn', () => {
  it('gets what was said before it came, then every event, resets and the end included', async () => {
    const first = await startGateway();
    const second = await startGateway(() => first.address);
    second.sources.durableIs = 'hang';
    first.hub.expect(TURN);
    first.hub.batch(TURN, batch('101-1', ['a', 'b'], null));
    const [here, there] = [new AwaitedViewer(), new AwaitedViewer()];
    first.hub.attach(TURN, null, here);
    second.hub.attach(TURN, null, there);
    await there.sees(2);
    first.hub.batch(TURN, batch('101-3', ['c']));
    first.hub.batch(TURN, batch('102-1', [{ type: 'reset', fromSeq: 2 }, 'B'], '101-1'));
    first.hub.batch(TURN, batch('199-1', [done], '102-2'));
    await there.until(() => there.ended === 1);
    expect(there.seen).toEqual(here.seen);
    expect(there.seen).toHaveLength(6);
  });

  it('resumes above what it holds', async () => {
    const { first, second, viewer } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a', 'b', 'c'], null));
    await viewer.sees(3);
    const later = new AwaitedViewer();
    second.hub.attach(TURN, { epoch: 101, seq: 2 }, later);
    await later.sees(1);
    expect(later.seen).toEqual(['101-3 c']);
  });

  it('gets the output of commands, in its place between the events', async () => {
    const { first, viewer } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a'], null));
    await viewer.sees(1);
    first.hub.batch(TURN, batch('101-2', ['b']));
    first.hub.output(TURN, { type: 'tool_output', callId: 'c', stream: 'stderr', content: 'one' });
    first.hub.batch(TURN, batch('101-3', ['c']));
    await viewer.until(() => viewer.seen.includes('101-3 c'));
    expect(viewer.seen).toEqual(['101-1 a', '101-2 b', 'stderr: one', '101-3 c']);
  });

  it('has its stop reach the writers', async () => {
    const { first, second, viewer, controls } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a'], null));
    await viewer.sees(1);
    const stopped = new Promise<void>((resolve) => {
      first.hub.opened(TURN, 102, (control) => {
        if (control === 'cancel') resolve();
      });
    });
    second.hub.cancel(TURN);
    await stopped;
    expect(controls).toContain('cancel');
  });

  it('has an interruption reach the writers', async () => {
    const { first, second, viewer } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a'], null));
    await viewer.sees(1);
    const interrupted = new Promise<number>((resolve) => {
      first.hub.opened(TURN, 102, (control) => {
        if (typeof control === 'object') resolve(control.interrupt);
      });
    });
    second.hub.interrupt(TURN, 3);
    expect(await interrupted).toBe(3);
  });

  it('asks the workflow when that gateway dies, and goes on where it stood', async () => {
    const { first, second, viewer } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a', 'b'], null));
    await viewer.sees(2);
    second.sources.durableIs = 'answer';
    second.sources.store(
      loggedEvent('101-1', 'a', null),
      loggedEvent('101-2', 'b'),
      loggedEvent('101-3', 'c'),
    );
    await kill(first);
    await viewer.sees(3);
    expect(viewer.seen).toEqual(['101-1 a', '101-2 b', '101-3 c']);
  });

  it('gets events from that gateway again when it is back', async () => {
    const { first, viewer } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a'], null));
    await viewer.sees(1);
    const { port } = new URL(first.address);
    await kill(first);
    const back = await startGateway(() => undefined, { port: Number(port) });
    back.hub.opened(TURN, 101, () => undefined);
    back.hub.batch(TURN, batch('101-1', ['a', 'b'], null));
    await viewer.sees(2);
    expect(viewer.seen).toEqual(['101-1 a', '101-2 b']);
  });

  it('disconnects from that gateway with its last viewer', async () => {
    const { first, viewer, detach } = await startPair();
    first.hub.batch(TURN, batch('101-1', ['a'], null));
    await viewer.sees(1);
    const connections = (): Promise<number> =>
      new Promise((resolve) => first.server.getConnections((_, count) => resolve(count)));
    expect(await connections()).toBe(1);
    detach();
    await eventually('no connection', async () => (await connections()) === 0);
  });

  it('asks the workflow and tries again when that gateway falls silent, without even a ping', async () => {
    const clock = new ManualClock();
    const asked = new EventEmitter();
    const frozen = createServer((_request, response) => {
      response.writeHead(200).flushHeaders();
      asked.emit('asked');
    });
    await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
    const reading = new EventEmitter();
    const follow = createTurnRelays({
      token: TOKEN,
      ownAddress: 'http://127.0.0.1:1',
      findAddress: () => Promise.resolve(address),
      readsRedis: false,
      clock,
    }).follow(
      { turnId: TURN, isStartedHere: false, from: () => null },
      {
        opened: () => reading.emit('opened'),
        closed: () => reading.emit('closed'),
        batch: () => undefined,
        output: () => undefined,
      },
    );
    await once(reading, 'opened');
    const closed = once(reading, 'closed');
    await clock.pass(15_000);
    await closed;
    const again = once(asked, 'asked');
    await clock.pass(250);
    expect(await again).toEqual([]);
    follow();
    frozen.closeAllConnections();
    frozen.close();
  });

  it('connects again, and takes no other turn with it, when its events cannot be taken', async () => {
    const first = await startGateway();
    first.hub.expect(TURN);
    first.hub.batch(TURN, batch('101-1', ['a'], null));
    const warnings: object[] = [];
    const relays = createTurnRelays({
      token: TOKEN,
      ownAddress: 'http://127.0.0.1:1',
      findAddress: () => Promise.resolve(first.address),
      readsRedis: false,
      clock: systemClock,
      log: { debug: () => undefined, warn: (fields) => void warnings.push(fields) },
    });
    const full = new Error('no memory left');
    let batches = 0;
    const taken = new EventEmitter();
    const stop = relays.follow(
      { turnId: TURN, isStartedHere: false, from: () => null },
      {
        opened: () => undefined,
        closed: () => undefined,
        output: () => undefined,
        batch: () => {
          batches += 1;
          if (batches === 1) throw full;
          taken.emit('batch');
        },
      },
    );
    await once(taken, 'batch');
    stop();
    expect(warnings).toEqual([{ err: full, turnId: TURN }]);
  });

  it('sees every event once and in order, however they are cut into batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }), async (sizes) => {
        const { first, viewer } = await startPair();
        let seq = 1;
        for (const size of sizes) {
          const texts = Array.from({ length: size }, (_, i) => `w${seq + i}`);
          first.hub.batch(TURN, batch(`101-${seq}`, texts, seq === 1 ? null : undefined));
          seq += size;
          if (size % 2 === 0) await new Promise(setImmediate);
        }
        await viewer.sees(seq - 1);
        expect(viewer.seen).toEqual(
          Array.from({ length: seq - 1 }, (_, i) => `${formatEventId({ epoch: 101, seq: i + 1 })} w${i + 1}`),
        );
        await Promise.all(running.splice(0).map(kill));
      }),
      { numRuns: 20 },
    );
  });

  it('gets events that are together longer than a line may be', async () => {
    const { first, viewer } = await startPair();
    const long = '😀'.repeat(400_000);
    first.hub.batch(
      TURN,
      batch(
        '101-1',
        Array.from({ length: 5 }, () => long),
        null,
      ),
    );
    await viewer.sees(5);
  });
});

describe('a gateway that is asked for the events of a turn', () => {
  const ask = (address: string, path: string, authorization?: string): Promise<Response> =>
    fetch(`${address}${path}`, { method: 'POST', ...(authorization && { headers: { authorization } }) });

  it('answers only readers that prove to belong to this installation', async () => {
    const { address, refusals } = await startGateway();
    const answer = await ask(address, `/internal/live/turns/${TURN}`);
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { code: 'unauthorized', error: 'Expected a proof of this installation (Orion-Lane …)' },
    ]);
    expect(refusals).toEqual(['missing']);
  });

  it('refuses gateways of another installation, which then ask the workflow', async () => {
    const first = await startGateway();
    const second = await startGateway(() => first.address, { token: STRANGER });
    second.sources.store(loggedEvent('101-1', 'a', null));
    const viewer = new AwaitedViewer();
    second.hub.attach(TURN, null, viewer);
    await viewer.sees(1);
    await eventually('a refusal', () => first.refusals.length > 0);
    expect(first.refusals).toEqual(['wrong']);
  });

  it('is not asked when its address is unsigned or not of HTTP, nor for turns that are read from Redis', async () => {
    const asked: string[] = [];
    const stops: (() => void)[] = [];
    const own = 'http://127.0.0.1:1';
    const follow = (address: string): Promise<void> =>
      new Promise((resolve) => {
        const findAddress = (): Promise<string> => {
          setImmediate(resolve);
          return Promise.resolve(address);
        };
        const deps = { token: TOKEN, ownAddress: own, findAddress, readsRedis: true, clock: systemClock };
        const from = (): null => {
          asked.push(address);
          return null;
        };
        const stop = createTurnRelays(deps).follow(
          { turnId: TURN, isStartedHere: false, from },
          {
            opened: () => undefined,
            batch: () => undefined,
            output: () => undefined,
            closed: () => undefined,
          },
        );
        stops.push(stop);
      });
    for (const address of [
      own,
      markRedisLane(own),
      markRedisLane('http://127.0.0.1:2'),
      'https://127.0.0.1:2',
      signLaneAddress(TOKEN, 'https://127.0.0.1:2'),
      'http://metadata.invalid',
      signLaneAddress(STRANGER, 'http://metadata.invalid'),
    ]) {
      await follow(address);
    }
    expect(asked).toEqual([]);
    const signed = signLaneAddress(TOKEN, 'http://127.0.0.1:2');
    await follow(signed);
    expect(asked).toEqual([signed]);
    for (const stop of stops) stop();
  });

  it('disconnects a reader that falls silent, without even a ping', async () => {
    const clock = new ManualClock();
    const { address } = await startGateway(() => undefined, { clock });
    const authorization = proveLane(TOKEN, { turnId: `relay ${TURN}`, epoch: 0, address });
    const silent = request(`${address}/internal/live/turns/${TURN}`, {
      method: 'POST',
      headers: { authorization },
    });
    silent.on('error', () => undefined).flushHeaders();
    const [response] = (await once(silent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined).resume();
    const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
    await clock.pass(10_000);
    expect(response.destroyed).toBe(false);
    await clock.pass(5_000);
    await closed;
  });

  it('says that it stops', async () => {
    const { address, closing } = await startGateway();
    closing.abort();
    expect((await ask(address, `/internal/live/turns/${TURN}`)).status).toBe(503);
  });
});
