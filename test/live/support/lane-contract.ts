import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import type { LanePublisher } from '../../../src/live/lane.ts';
import { AwaitedViewer, batch, done, idOf } from '../../gateway/support/hub-world.ts';
import { eventually } from '../../support/eventually.ts';
import type { LaneWorld } from './lane-worlds.ts';

/** Describes what every transport of the live lane does, whichever gateway a reader is at. */
export const describeLane = (name: string, openWorld: () => Promise<LaneWorld>): void => {
  const worlds: LaneWorld[] = [];
  let turns = 0;
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  /** Starts a turn at the first gateway, and opens one of its writers. */
  const startTurn = async () => {
    const world = await openWorld();
    worlds.push(world);
    turns += 1;
    const turnId = `turn-${process.pid}-${turns}`;
    world.gateways[0].hub.expect(turnId);
    const write = (epoch = 101, onControl: (control: LaneControl) => void = () => undefined): LanePublisher =>
      world.worker.open({ address: world.address, turnId, epoch, onControl });
    const watch = (gateway: 0 | 1, after?: string): AwaitedViewer => {
      const viewer = new AwaitedViewer();
      world.gateways[gateway].hub.attach(turnId, after === undefined ? null : idOf(after), viewer);
      return viewer;
    };
    return { ...world, turnId, write, watch };
  };

  const words = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, i) => `101-${from + i} w${from + i}`);
  const say = (publisher: LanePublisher, from: number, to = from): void => {
    for (let seq = from; seq <= to; seq += 1) {
      publisher.publish(batch(`101-${seq}`, [`w${seq}`], seq === 1 ? null : undefined));
    }
  };
  const becomes = (publisher: LanePublisher, acknowledged: boolean): Promise<true> =>
    eventually(`that it is ${acknowledged}`, () => publisher.isHealthy === acknowledged);

  describe(`the live lane over ${name}`, () => {
    it('brings every event once and in order to viewers at any gateway, resets and the end included', async () => {
      const { write, watch } = await startTurn();
      const viewers = [watch(0), watch(1)];
      const first = write(101);
      first.publish(batch('0-1', [{ type: 'phase', phase: 'action', index: 0, cycle: 0 }], null));
      first.publish(batch('101-2', ['a', 'naïve 🙂\n'], '0-1'));
      for (const viewer of viewers) await viewer.sees(3);
      const second = write(102);
      second.publish(batch('102-1', [{ type: 'reset', fromSeq: 2 }, 'A'], '0-1'));
      await second.close();
      const last = write(199);
      last.publish(batch('199-3', [done], '102-2'));
      await last.close();
      for (const viewer of viewers) {
        await viewer.until(() => viewer.ended === 1);
        expect(viewer.seen).toEqual([
          '0-1 phase',
          '101-2 a',
          '101-3 naïve 🙂\n',
          '102-1 reset',
          '102-2 A',
          '199-3 done',
        ]);
      }
    });

    it('brings an event while the writer goes on', async () => {
      const { write, watch } = await startTurn();
      const viewers = [watch(0), watch(1)];
      const publisher = write();
      for (let seq = 1; seq <= 50; seq += 1) {
        say(publisher, seq);
        for (const viewer of viewers) await viewer.sees(seq);
      }
      await becomes(publisher, true);
    });

    it.each([0, 1] as const)(
      'has what was said before for who comes late to gateway %i, and for who comes back',
      async (gateway) => {
        const { write, watch } = await startTurn();
        const publisher = write();
        say(publisher, 1, 20);
        await becomes(publisher, true);
        const late = watch(gateway);
        await late.sees(20);
        say(publisher, 21, 25);
        const back = watch(gateway, '101-10');
        await Promise.all([late.sees(25), back.sees(15)]);
        expect([late.seen, back.seen]).toEqual([words(1, 25), words(11, 25)]);
      },
    );

    it('ignores a dead attempt after its successor has begun, and tells it so', async () => {
      const { write, watch } = await startTurn();
      const viewers = [watch(0), watch(1)];
      const fenced = Promise.withResolvers<LaneControl>();
      const dead = write(101, fenced.resolve);
      say(dead, 1, 2);
      for (const viewer of viewers) await viewer.sees(2);
      const next = write(102);
      next.publish(batch('102-0', [{ type: 'reset', fromSeq: 1 }, 'W'], null));
      for (const viewer of viewers) await viewer.sees(4);
      await expect(fenced.promise).resolves.toBe('fenced');
      say(dead, 3, 4);
      await becomes(dead, true);
      next.publish(batch('102-2', ['X']));
      for (const viewer of viewers) {
        await viewer.sees(5);
        expect(viewer.seen.slice(2)).toEqual(['102-0 reset', '102-1 W', '102-2 X']);
      }
    });

    it.each([0, 1] as const)(
      'brings a stop back from gateway %i, also to an attempt that begins later',
      async (gateway) => {
        const { gateways, turnId, write, watch } = await startTurn();
        const viewer = watch(gateway);
        const [first, second] = [Promise.withResolvers<LaneControl>(), Promise.withResolvers<LaneControl>()];
        say(write(101, first.resolve), 1);
        await viewer.sees(1);
        gateways[gateway].hub.cancel(turnId);
        await expect(first.promise).resolves.toBe('cancel');
        write(102, second.resolve);
        await expect(second.promise).resolves.toBe('cancel');
      },
    );

    it.each([0, 1] as const)('brings an interrupt of one step back from gateway %i', async (gateway) => {
      const { gateways, turnId, write, watch } = await startTurn();
      const viewer = watch(gateway);
      const told = Promise.withResolvers<LaneControl>();
      say(write(101, told.resolve), 1);
      await viewer.sees(1);
      gateways[gateway].hub.interrupt(turnId, 1);
      await expect(told.promise).resolves.toEqual({ interrupt: 1 });
    });

    it('is not acknowledged while nobody answers, and loses nothing of what is said meanwhile', async () => {
      const { wire, write, watch } = await startTurn();
      const viewer = watch(0);
      const publisher = write();
      say(publisher, 1, 3);
      await viewer.sees(3);
      await becomes(publisher, true);
      wire.freeze();
      say(publisher, 4, 6);
      await becomes(publisher, false);
      await becomes(publisher, true);
      say(publisher, 7);
      await viewer.sees(7);
      expect(viewer.seen).toEqual(words(1, 7));
    });

    it('that is cut has gateways ask the durable log', async () => {
      const { gateways, wire, write, watch } = await startTurn();
      const viewer = watch(0);
      const publisher = write();
      say(publisher, 1, 3);
      await viewer.sees(3);
      const { sources } = gateways[0];
      await wire.close();
      const before = sources.count('durable');
      await eventually('a question', () => sources.count('durable') > before);
    });

    it('does not hold up a writer when nobody reads', async () => {
      const { wire, write } = await startTurn();
      await wire.close();
      const publisher = write();
      say(publisher, 1, 100);
      expect(publisher.isHealthy).toBe(false);
      await publisher.close();
    });

    it('brings every word once and in order in random schedules of words and cuts', async () => {
      const step = fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 30 }) },
        { weight: 1, arbitrary: fc.constant('cut' as const) },
        { weight: 2, arbitrary: fc.constant('wait' as const) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const { wire, write, watch, close } = await startTurn();
          const viewers = [watch(0), watch(1)];
          const publisher = write();
          let said = 0;
          for (const what of steps) {
            if (what === 'cut') {
              wire.cut();
            } else if (what === 'wait') {
              await new Promise((resolve) => setTimeout(resolve, 3));
            } else {
              say(publisher, said + 1, said + what);
              said += what;
            }
          }
          for (const viewer of viewers) {
            await viewer.sees(said);
            expect(viewer.seen).toEqual(words(1, said));
          }
          await publisher.close();
          await close();
        }),
        { numRuns: 15 },
      );
    });
  });
};
