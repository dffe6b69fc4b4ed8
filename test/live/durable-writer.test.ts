import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import { DurableWriter, MAX_SEND_BYTES, MAX_TAIL_BYTES } from '../../src/live/durable-writer.ts';
import {
  expandBatch,
  mergeBatches,
  packEvents,
  type LoggedEvent,
} from '../../src/protocol/event-log/event-log.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';

const EPOCH = 101;

/** Returns the n-th event of an attempt. */
const textEvent = (seq: number, content = ` word${seq}`): LoggedEvent => ({
  id: { epoch: EPOCH, seq },
  ...(seq === 1 && { after: null }),
  event: { type: 'chunk', content },
});

/** Adds an event with the size that `AttemptOutput` gives: that of its JSON in a batch. */
const add = (writer: DurableWriter, event: LoggedEvent): void =>
  writer.add(event, Buffer.byteLength(JSON.stringify(packEvents([event])[0]?.events[0])));

const seqsOf = (batches: readonly EventBatch[]): number[] =>
  batches.flatMap(expandBatch).map(({ id }) => id.seq);
const sizeOf = (batches: readonly EventBatch[]): number => Buffer.byteLength(JSON.stringify(batches));
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/**
 * Returns a writer whose workflow answers as `answer` says at that time; `sends` are all tries, `stored` the accepted
 * ones.
 */
const setUp = (initial: { latencyMs?: number; isLaneHealthy?: boolean } = {}) => {
  const clock = new ManualClock();
  const world = {
    isLaneHealthy: initial.isLaneHealthy ?? true,
    answer: (): 'stored' | 'gone' => 'stored',
    held: false,
    gone: 0,
    inFlight: 0,
    maxInFlight: 0,
    sends: [] as { at: number; batches: EventBatch[] }[],
    stored: [] as EventBatch[],
  };
  const writer = new DurableWriter({
    async send(batches) {
      world.sends.push({ at: clock.now(), batches });
      world.inFlight += 1;
      world.maxInFlight = Math.max(world.maxInFlight, world.inFlight);
      if (world.held) await new Promise(() => {});
      if (initial.latencyMs) {
        await new Promise<void>((resolve) => void clock.after(initial.latencyMs ?? 0, resolve));
      }
      world.inFlight -= 1;
      const answer = world.answer();
      if (answer === 'stored') world.stored.push(...batches);
      return answer;
    },
    isLaneHealthy: () => world.isLaneHealthy,
    onGone: () => (world.gone += 1),
    clock,
  });
  return { writer, world, clock };
};

const unreachable = (): never => {
  throw new Error('14 UNAVAILABLE: No connection established');
};

describe('how often the workflow is signalled', () => {
  it('sends the first event at once', async () => {
    const { writer, world } = setUp();
    add(writer, textEvent(1));
    await settled();
    expect(world.sends.map(({ batches }) => batches)).toEqual([packEvents([textEvent(1)])]);
  });

  /** Writes 50 chunks a second for 20 s. */
  const stream = async (setup: ReturnType<typeof setUp>): Promise<number[]> => {
    for (let seq = 1; seq <= 1000; seq += 1) {
      add(setup.writer, textEvent(seq));
      await setup.clock.pass(20);
    }
    return setup.world.sends.map(({ at }) => at);
  };

  it('costs an answer of 20 s at most 9 signals while the lane works', async () => {
    const setup = setUp({ latencyMs: 5 });
    const times = await stream(setup);
    expect(times.length).toBeLessThanOrEqual(9);
    expect(times.slice(0, 6)).toEqual([0, 255, 760, 1765, 3770, 7775]);
    const tail = await setup.writer.finish();
    expect(seqsOf([...setup.world.stored, ...tail])).toEqual(range(1, 1000));
  });

  it('signals every second when the lane does not work', async () => {
    const times = await stream(setUp({ isLaneHealthy: false }));
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps.slice(0, 4)).toEqual([250, 500, 1000, 1000]);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1020);
  });

  it('does not let viewers wait on when the lane breaks during a long wait', async () => {
    const { writer, world, clock } = setUp();
    for (const seq of range(1, 5)) {
      add(writer, textEvent(seq));
      await clock.pass(2000);
    }
    const before = world.sends.length;
    add(writer, textEvent(6));
    await clock.pass(500);
    expect(world.sends).toHaveLength(before);
    world.isLaneHealthy = false;
    await clock.pass(500);
    expect(world.sends).toHaveLength(before + 1);
  });

  it('sends an event after a pause at once', async () => {
    const { writer, world, clock } = setUp();
    add(writer, textEvent(1));
    await clock.pass(30_000);
    add(writer, textEvent(2));
    await settled();
    expect(world.sends).toHaveLength(2);
    expect(clock.timers).toBe(1);
  });

  it('does not wait when 64 KiB are pending', async () => {
    const { writer, world } = setUp();
    add(writer, textEvent(1));
    await settled();
    add(writer, textEvent(2, 'x'.repeat(MAX_SEND_BYTES / 2)));
    await settled();
    expect(world.sends).toHaveLength(1);
    add(writer, textEvent(3, 'y'.repeat(MAX_SEND_BYTES / 2)));
    await settled();
    expect(seqsOf(world.sends[1]?.batches ?? [])).toEqual([2]);
  });

  it('splits a backlog into signals of about 64 KiB; a larger event has a signal of its own', async () => {
    const { writer, world, clock } = setUp();
    world.answer = unreachable;
    for (const seq of range(1, 300)) add(writer, textEvent(seq, 'ü'.repeat(seq === 150 ? 100_000 : 500)));
    await clock.pass(3_000);
    world.answer = () => 'stored';
    const hasFlushed = writer.flush();
    await clock.pass(1_000);
    await hasFlushed;
    const sizes = world.sends.map(({ batches }) => sizeOf(batches));
    const large = world.sends.filter((_, index) => (sizes[index] ?? 0) > MAX_SEND_BYTES + 100);
    expect(large.map(({ batches }) => seqsOf(batches))).toEqual([[150]]);
    expect(seqsOf(world.stored)).toEqual(range(1, 300));
  });
});

describe('while the workflow cannot be reached', () => {
  it('sends the same batch again, and nothing else, until it is stored', async () => {
    const { writer, world, clock } = setUp();
    world.answer = unreachable;
    add(writer, textEvent(1));
    await settled();
    for (const seq of range(2, 20)) add(writer, textEvent(seq));
    await clock.pass(20_000);
    expect(new Set(world.sends.map(({ batches }) => JSON.stringify(seqsOf(batches))))).toEqual(
      new Set(['[1]']),
    );
    expect(world.sends.slice(0, 5).map(({ at }) => at)).toEqual([0, 100, 300, 700, 1200]);
    world.answer = () => 'stored';
    await clock.pass(1_000);
    expect(seqsOf(world.stored)).toEqual(range(1, 20));
  });

  it('ends when the workflow is gone, and says so once', async () => {
    const { writer, world, clock } = setUp();
    world.answer = () => 'gone';
    add(writer, textEvent(1));
    const flushed = writer.flush();
    await flushed;
    add(writer, textEvent(2));
    await clock.pass(10_000);
    expect(world.gone).toBe(1);
    expect(world.sends).toHaveLength(1);
    expect(clock.timers).toBe(0);
    await expect(writer.finish()).resolves.toEqual([]);
  });

  it('stops trying when the attempt fails', async () => {
    const { writer, world, clock } = setUp();
    world.answer = unreachable;
    add(writer, textEvent(1));
    const flushed = writer.flush();
    await clock.pass(50);
    writer.stop();
    await flushed;
    expect(clock.timers).toBe(0);
    await clock.pass(10_000);
    expect(world.sends).toHaveLength(1);
  });
});

describe('a flush', () => {
  it('resolves only when all that was added so far is stored', async () => {
    const { writer, world, clock } = setUp({ latencyMs: 40 });
    add(writer, textEvent(1));
    add(writer, textEvent(2));
    let flushed = false;
    const flush = writer.flush().then(() => (flushed = true));
    await clock.pass(79);
    expect([seqsOf(world.stored), flushed]).toEqual([[1], false]);
    await clock.pass(1);
    await flush;
    expect(seqsOf(world.stored)).toEqual([1, 2]);
  });

  it('resolves at once when nothing is open', async () => {
    await expect(setUp().writer.flush()).resolves.toBeUndefined();
  });
});

describe('finish', () => {
  it('returns what is in flight and what waits, and leaves no timer', async () => {
    const { writer, world, clock } = setUp();
    world.held = true;
    for (const seq of range(1, 3)) add(writer, textEvent(seq));
    const tail = await writer.finish();
    expect(seqsOf(tail)).toEqual([1, 2, 3]);
    await clock.pass(10_000);
    expect(world.sends).toHaveLength(1);
    expect(clock.timers).toBe(0);
    expect(() => add(writer, textEvent(4))).toThrow('finished');
  });

  it('sends first what does not fit into an activity result', async () => {
    const { writer, world, clock } = setUp();
    world.answer = unreachable;
    for (const seq of range(1, 100)) add(writer, textEvent(seq, 'z'.repeat(10_000)));
    const finished = writer.finish();
    await clock.pass(5_000);
    world.answer = () => 'stored';
    await clock.pass(1_000);
    const tail = await finished;
    expect(sizeOf(tail)).toBeLessThanOrEqual(MAX_TAIL_BYTES);
    expect(sizeOf(tail)).toBeGreaterThan(MAX_TAIL_BYTES - 2 * MAX_SEND_BYTES);
    expect(mergeBatches([...world.stored, ...tail]).map(({ id }) => id.seq)).toEqual(range(1, 100));
  });
});

describe('the durable writer, whatever fails when', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), bytes: fc.integer({ min: 0, max: 40_000 }) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 1_500 }) }),
    fc.record({ do: fc.constant('reach' as const), reachable: fc.boolean() }),
    fc.record({ do: fc.constant('lane' as const), healthy: fc.boolean() }),
  );

  it('loses nothing, keeps the order and has one send in flight', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { writer, world, clock } = setUp({ latencyMs: 7 });
        const added: LoggedEvent[] = [];
        for (const action of steps) {
          if (action.do === 'wait') {
            await clock.pass(action.ms);
          } else if (action.do === 'reach') {
            world.answer = action.reachable ? () => 'stored' : unreachable;
          } else if (action.do === 'lane') {
            world.isLaneHealthy = action.healthy;
          } else {
            added.push(textEvent(added.length + 1, 'x'.repeat(action.bytes)));
            add(writer, added.at(-1) as LoggedEvent);
          }
        }
        world.answer = () => 'stored';
        const finished = writer.finish();
        await clock.pass(10_000);
        const tail = await finished;
        expect(mergeBatches([...world.stored, ...tail])).toEqual(added);
        expect(seqsOf(world.stored)).toEqual(range(1, seqsOf(world.stored).length));
        expect(world.maxInFlight).toBeLessThanOrEqual(1);
        expect(sizeOf(tail)).toBeLessThanOrEqual(MAX_TAIL_BYTES);
      }),
      { numRuns: 60 },
    );
  });
});
