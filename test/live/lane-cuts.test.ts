/** Covers the turns that share a connection when it is cut, frozen or left, over real HTTP on loopback. */
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LanePublisher } from '../../src/live/lane.ts';
import { createLaneTransport } from '../../src/live/http/lane-transport.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, TOKEN, type Gateway } from './support/lane-gateway.ts';
import { startProxy, type TcpProxy } from './support/tcp-proxy.ts';

const cleanUps: (() => unknown)[] = [];
const cleanUp = async (): Promise<void> => {
  for (const close of cleanUps.splice(0).reverse()) await close();
};
afterEach(cleanUp);

const openWorld = async (): Promise<{ gateway: Gateway; proxy: TcpProxy }> => {
  const gateway = await startGateway();
  cleanUps.push(() => gateway.kill());
  const proxy = await startProxy(gateway.port);
  cleanUps.push(() => proxy.close());
  gateway.reachedAt(proxy.address);
  return { gateway, proxy };
};

/** The turns of one worker, and how far each has come. */
class Worker {
  readonly said = new Map<string, number>();
  readonly #publishers = new Map<string, LanePublisher>();

  constructor(address: string, turnIds: readonly string[]) {
    const limits = { minBackoffMs: 5, maxBackoffMs: 20, lateMs: 200, stalledMs: 300, closeMs: 10_000 };
    const transport = createLaneTransport({ token: TOKEN, limits });
    cleanUps.push(() => transport.close());
    for (const turnId of turnIds) {
      this.#publishers.set(turnId, transport.open({ address, turnId, epoch: 101, onControl() {} }));
    }
  }

  get acknowledged(): boolean[] {
    return [...this.#publishers.values()].map((publisher) => publisher.isHealthy);
  }

  say(turnId: string, words: number): void {
    for (let i = 0; i < words; i += 1) {
      const seq = (this.said.get(turnId) ?? 0) + 1;
      this.said.set(turnId, seq);
      this.#publishers.get(turnId)?.publish({ epoch: 101, seq, events: ['word'] });
    }
  }

  sayAll(words: number): void {
    for (const turnId of this.#publishers.keys()) this.say(turnId, words);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#publishers.values()].map((publisher) => publisher.close()));
  }
}

/** Returns the sequence numbers in the order in which they first came, since a reader drops repeats. */
const receivedSeqs = (gateway: Gateway, turnId: string): number[] => [
  ...new Set(gateway.receiver.seqs(turnId)),
];
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
const turns = (worker: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${worker}${i}`);

it('a frozen connection delays only the turns that it carries, and none loses a word', async () => {
  const { gateway, proxy } = await openWorld();
  const frozen = new Worker(proxy.address, turns('frozen', 20));
  frozen.sayAll(5);
  await gateway.receiver.until(() => gateway.receiver.count('batch') === 100);
  await eventually('acknowledgement', () => frozen.acknowledged.every(Boolean));
  proxy.freeze();
  const other = new Worker(proxy.address, turns('other', 20));
  frozen.sayAll(5);
  other.sayAll(5);
  await eventually(
    'doubt of the frozen alone',
    () => !frozen.acknowledged.some(Boolean) && other.acknowledged.every(Boolean),
  );
  await Promise.all([frozen.close(), other.close()]);
  for (const [turnId, last] of [...frozen.said, ...other.said]) {
    expect(receivedSeqs(gateway, turnId)).toEqual(upTo(last));
  }
  expect(gateway.receiver.count('opened')).toBe(gateway.receiver.count('closed'));
});

it.each(['writer', 'gateway'] as const)(
  'half a connection, on which the %s is no longer heard, is given up, and no turn on it loses a word',
  async (side) => {
    const { gateway, proxy } = await openWorld();
    const worker = new Worker(proxy.address, turns('half', 20));
    worker.sayAll(5);
    await gateway.receiver.until(() => gateway.receiver.count('batch') === 100);
    await eventually('acknowledgement', () => worker.acknowledged.every(Boolean));
    proxy.freezeHalf(side);
    worker.sayAll(5);
    await eventually('doubt', () => !worker.acknowledged.some(Boolean));
    await eventually('acknowledgement', () => worker.acknowledged.every(Boolean));
    expect(proxy.connections).toBe(2);
    worker.sayAll(1);
    await worker.close();
    for (const turnId of worker.said.keys()) expect(receivedSeqs(gateway, turnId)).toEqual(upTo(11));
  },
);

describe('every word arrives, in order, whatever becomes of the connection', () => {
  const [TURNS, MAX_WORDS] = [8, 30];
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(fc.nat(TURNS - 1), fc.integer({ min: 1, max: MAX_WORDS })) },
    { weight: 1, arbitrary: fc.constant('cut' as const) },
    { weight: 2, arbitrary: fc.constant('wait' as const) },
  );

  it('in random schedules of words and cuts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const { gateway, proxy } = await openWorld();
        const worker = new Worker(proxy.address, turns('turn', TURNS));
        await gateway.receiver.until(() => gateway.receiver.count('opened') === TURNS);
        for (const what of steps) {
          if (what === 'cut') proxy.cut();
          else if (what === 'wait') await new Promise((resolve) => setTimeout(resolve, 3));
          else worker.say(`turn${what[0]}`, what[1]);
        }
        const all = (): boolean =>
          [...worker.said].every(([turnId, last]) => gateway.receiver.seqs(turnId).includes(last));
        await gateway.receiver.until(all);
        await worker.close();
        for (const [turnId, last] of worker.said) expect(receivedSeqs(gateway, turnId)).toEqual(upTo(last));
        await gateway.receiver.until(
          () => gateway.receiver.count('opened') === gateway.receiver.count('closed'),
        );
        await cleanUp();
      }),
      { numRuns: 25 },
    );
  });
});
