import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../src/contracts/turn-event.ts';
import { packEvents, type StoredEvent } from '../../src/protocol/event-log.ts';
import { RecordingViewer, TURN, batch, chunks, createWorld, done, idOf, stored } from './hub-world.ts';

const reset = (fromSeq: number): TurnEvent => ({ type: 'reset', fromSeq });

describe('a viewer of a turn on the live lane', () => {
  it('gets every event in the tick in which it arrives, and no query is made', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-1', ['a', 'b'], null));
    expect(viewer.seen).toEqual(['101-1 a', '101-2 b']);
    for (let seq = 3; seq <= 60; seq += 1) {
      await clock.pass(1_000);
      hub.batch(TURN, batch(`101-${seq}`, ['x']));
    }
    expect(viewer.seen).toHaveLength(60);
    expect(sources.calls).toEqual([]);
    const timers = clock.started;
    for (let seq = 61; seq <= 1_000; seq += 1) hub.batch(TURN, batch(`101-${seq}`, ['x']));
    expect(clock.started).toBe(timers);
  });

  it('gets the end from the lane, nothing after it, and the hub forgets the turn', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewers = [watch(), watch()];
    connect(101);
    hub.batch(TURN, batch('101-1', ['a', done, 'late'], null));
    hub.batch(TURN, batch('201-3', ['zombie'], '101-2'));
    for (const viewer of viewers) {
      expect(viewer.seen).toEqual(['101-1 a', '101-2 done']);
      expect(viewer.ended).toBe(1);
    }
    await clock.pass(60_000);
    expect(sources.calls).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it.each(['', ...chunks(12).map(({ id }) => `${id.epoch}-${id.seq}`), '150-3'])(
    'resumes from id "%s" without loss or repeat',
    (held) => {
      const { hub, connect, watch } = createWorld();
      hub.expect(TURN);
      connect(101);
      const list = [...chunks(12), stored('199-13', 'n', '101-12'), stored('201-14', 'm', '199-13')];
      for (const piece of packEvents(list)) hub.batch(TURN, piece);
      const all = watch();
      const resumed = watch(held || undefined);
      const above = (line: string): boolean => {
        const [id] = line.split(' ');
        const [epoch, seq] = [idOf(id!).epoch, idOf(id!).seq];
        return !held || epoch > idOf(held).epoch || (epoch === idOf(held).epoch && seq > idOf(held).seq);
      };
      expect(all.seen).toHaveLength(14);
      expect(resumed.seen).toEqual(all.seen.filter(above));
    },
  );

  it('sees a retry as a reset, and a dead attempt that writes on is not shown', () => {
    const { hub, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-1', ['a', 'b'], null));
    connect(102);
    hub.batch(TURN, batch('101-3', ['still accepted: the reset is not here yet']));
    hub.batch(TURN, batch('102-0', [reset(1), 'A'], null));
    hub.batch(TURN, batch('101-4', ['zombie']));
    hub.batch(TURN, batch('102-2', ['B']));
    hub.batch(TURN, batch('101-5', ['zombie']));
    expect(viewer.seen.slice(3)).toEqual(['102-0 reset', '102-1 A', '102-2 B']);
    const late = watch();
    expect(late.seen).toEqual(['102-0 reset', '102-1 A', '102-2 B']);
    expect(watch('101-2').seen).toEqual(late.seen);
  });

  it('is served whatever other viewers do while they are called', () => {
    const { hub, connect, watch } = createWorld();
    hub.expect(TURN);
    connect(101);
    const attached: RecordingViewer[] = [];
    const leaver = new RecordingViewer();
    let leave = (): void => {};
    hub.attach(TURN, null, {
      event() {
        leave();
        attached.push(watch());
        throw new Error('a viewer that fails');
      },
      end() {
        throw new Error('and fails again');
      },
    });
    leave = hub.attach(TURN, null, leaver);
    const last = watch();
    hub.batch(TURN, batch('101-1', ['a', 'b'], null));
    expect(leaver.seen).toEqual([]);
    expect(last.seen).toEqual(['101-1 a', '101-2 b']);
    expect(attached.map(({ seen }) => seen)).toEqual([last.seen]);
  });

  it('may leave and fail in one call: it gets nothing more, not even the end', () => {
    const { hub, connect, watch } = createWorld();
    hub.expect(TURN);
    connect(101);
    const leaver = new RecordingViewer();
    const leave = hub.attach(TURN, null, {
      event(id, event) {
        leaver.event(id, event);
        leave();
        throw new Error('on its way out');
      },
      end: () => leaver.end(),
    });
    const last = watch();
    hub.batch(TURN, batch('101-1', ['a', 'b', done], null));
    expect(leaver.seen).toEqual(['101-1 a']);
    expect(leaver.ended).toBe(0);
    expect(last.seen).toEqual(['101-1 a', '101-2 b', '101-3 done']);
  });

  it('that comes back in the very call that ended it gets the rest and the end', () => {
    const { hub, connect } = createWorld();
    hub.expect(TURN);
    connect(101);
    const back = new RecordingViewer();
    const end = (): void => void hub.attach(TURN, idOf('101-1'), back);
    hub.attach(TURN, null, { event: () => {}, end });
    hub.batch(TURN, batch('101-1', ['a', 'b', done], null));
    expect(back.seen).toEqual(['101-2 b', '101-3 done']);
    expect(back.ended).toBe(1);
  });

  it('gets nothing after it has left', async () => {
    const { hub, connect, watch, clock } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-1', ['a'], null));
    viewer.detach();
    viewer.detach();
    hub.batch(TURN, batch('101-2', ['b', done]));
    await clock.pass(60_000);
    expect(viewer.seen).toEqual(['101-1 a']);
    expect(viewer.ended).toBe(0);
  });
});

describe('a gap on the lane', () => {
  it('is filled by one query, and events that came meanwhile follow at once', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    const list = chunks(9);
    connect(101);
    hub.batch(TURN, batch('101-1', ['w1', 'w2'], null));
    sources.store(...list.slice(0, 5));
    hub.batch(TURN, batch('101-5', ['w5', 'w6']));
    hub.batch(TURN, batch('101-8', ['w8']));
    hub.batch(TURN, batch('101-7', ['w7']));
    hub.batch(TURN, batch('101-8', ['w8']));
    expect(viewer.seen).toHaveLength(2);
    await clock.pass(0);
    expect(viewer.seen.map((line) => line.split(' ')[1])).toEqual(
      list.slice(0, 8).map((_, i) => `w${i + 1}`),
    );
    expect(sources.calls).toEqual(['durable 101-2']);
    hub.batch(TURN, batch('101-9', ['w9']));
    expect(viewer.seen).toHaveLength(9);
  });

  it('that the durable log cannot fill yet is asked for again, ever more slowly', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-3', ['w3']));
    await clock.pass(4_000);
    const asked = sources.count('durable');
    expect(asked).toBeGreaterThanOrEqual(4);
    expect(asked).toBeLessThanOrEqual(6);
    sources.store(...chunks(2));
    await clock.pass(1_000);
    expect(viewer.seen).toEqual(['101-1 w1', '101-2 w2', '101-3 w3']);
  });

  it('costs one query for all viewers, and never two at a time', async () => {
    const { hub, sources, clock, connect } = createWorld();
    hub.expect(TURN);
    const viewers = Array.from({ length: 50 }, () => new RecordingViewer());
    for (const viewer of viewers) hub.attach(TURN, null, viewer);
    connect(101);
    sources.store(...chunks(30));
    for (let seq = 20; seq < 30; seq += 1) hub.batch(TURN, batch(`101-${seq}`, [`w${seq}`]));
    await clock.pass(0);
    for (const viewer of viewers) expect(viewer.seen).toHaveLength(30);
    expect(sources.count('durable')).toBe(1);
    expect(sources.mostInFlight).toBe(1);
  });

  it('larger than one page is read page by page', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    sources.pageSize = 7;
    sources.store(...chunks(40));
    hub.batch(TURN, batch('101-41', ['w41']));
    await clock.pass(0);
    expect(viewer.seen).toHaveLength(41);
    expect(sources.count('durable')).toBe(6);
  });

  it('does not cost queries while nobody watches', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    connect(101);
    hub.batch(TURN, batch('101-4', ['w4']));
    await clock.pass(30_000);
    expect(sources.calls).toEqual([]);
    sources.store(...chunks(3));
    const viewer = watch();
    await clock.pass(0);
    expect(viewer.seen).toHaveLength(4);
  });

  it('before the terminal event is left to Postgres, which must have the turn by then', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    sources.end(...chunks(2), stored('101-3', done));
    hub.batch(TURN, batch('101-3', [done]));
    await clock.pass(0);
    expect(viewer.seen).toEqual(['101-1 w1', '101-2 w2', '101-3 done']);
    expect(viewer.ended).toBe(1);
    expect(sources.calls).toEqual(['ended']);
  });
});

describe('without the lane', () => {
  it('polls after 250 ms, then ever more slowly up to once a second, and at once faster when something comes', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    const askedAt: number[] = [];
    let seen = 0;
    for (let ms = 0; ms <= 6_000; ms += 50) {
      await clock.pass(50);
      if (sources.count('durable') > seen) askedAt.push(clock.now());
      seen = sources.count('durable');
      if (ms === 4_000) sources.store(...chunks(3));
    }
    const pauses = askedAt.map((at, i) => at - (askedAt[i - 1] ?? 0));
    expect(pauses).toEqual([250, 500, 1000, 1000, 1000, 1000, 250, 500]);
    expect(viewer.seen).toHaveLength(3);
  });

  it('stops polling when the last viewer leaves and forgets the turn after a minute', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    await clock.pass(2_000);
    viewer.detach();
    await clock.pass(0);
    const asked = sources.calls.length;
    await clock.pass(59_000);
    expect(clock.timers).toBe(1);
    await clock.pass(2_000);
    expect(sources.calls).toHaveLength(asked);
    expect(clock.timers).toBe(0);
  });

  it('goes on when the lane is cut: what came by the lane is not repeated', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    await clock.pass(4_000);
    hub.batch(TURN, batch('101-1', ['w1', 'w2', 'w3'], null));
    await clock.pass(1_000);
    sources.store(...chunks(4));
    hub.closed(TURN, 101);
    await clock.pass(0);
    expect(viewer.seen).toHaveLength(4);
    sources.store(...chunks(6));
    await clock.pass(1_000);
    expect(viewer.seen).toEqual(chunks(6).map((_, i) => `101-${i + 1} w${i + 1}`));
  });

  it('that nobody watches, a turn is kept while a writer is connected, so that a cancel finds it', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    const controls = connect(101);
    hub.batch(TURN, batch('101-1', ['w1'], null));
    await clock.pass(300_000);
    hub.cancel(TURN);
    expect(controls).toEqual(['cancel']);
    expect(watch().seen).toEqual(['101-1 w1']);
    expect(sources.calls).toEqual(['ended']);
  });

  it('takes a quiet lane for a thinking model first, but not for ever', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-1', ['w1'], null));
    sources.store(...chunks(2));
    await clock.pass(4_900);
    expect(sources.calls).toEqual([]);
    await clock.pass(200);
    expect(viewer.seen).toHaveLength(2);
  });
});

describe('two attempts of one step', () => {
  it('on the lane: the older is fenced when the newer connects, also when it comes back', () => {
    const { hub, connect } = createWorld();
    const older = connect(101);
    const newer = connect(102);
    expect([older, newer]).toEqual([['fenced'], []]);
    hub.closed(TURN, 102);
    hub.closed(TURN, 101);
    expect(connect(101)).toEqual(['fenced']);
    expect(connect(103)).toEqual([]);
    expect(newer).toEqual([]);
  });

  it('interleaved in any way show every viewer the same', async () => {
    const first = packEvents(chunks(4)).flatMap(({ events }) => events);
    const one = first.map((text, i) => batch(`101-${i + 1}`, [text], i === 0 ? null : undefined));
    const two = [batch('102-0', [reset(1)], null), batch('102-1', ['A']), batch('102-2', ['B'])];
    for (let mask = 0; mask < 128; mask += 1) {
      const { hub, sources, clock, connect, watch } = createWorld();
      hub.expect(TURN);
      connect(101);
      connect(102);
      const early = watch();
      const [a, b] = [[...one], [...two]];
      for (let bit = 0; bit < 7; bit += 1) {
        const next = (mask >> bit) & 1 ? a.shift() : b.shift();
        if (next) hub.batch(TURN, next);
      }
      for (const rest of [...b, ...a]) hub.batch(TURN, rest);
      sources.store(...chunks(4));
      await clock.pass(0);
      const surviving = ['102-0 reset', '102-1 A', '102-2 B'];
      expect(early.seen.slice(-3)).toEqual(surviving);
      expect(watch().seen).toEqual(surviving);
    }
  });

  it('a lane that only a dead attempt holds open does not stop the polling', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    connect(102);
    hub.batch(TURN, batch('102-0', [reset(1), 'A'], null));
    hub.closed(TURN, 102);
    sources.store(stored('102-0', reset(1), null), stored('102-1', 'A'), stored('102-2', 'B'));
    await clock.pass(300);
    expect(viewer.seen).toEqual(['102-0 reset', '102-1 A', '102-2 B']);
  });
});

describe('cancel', () => {
  it('reaches every connected writer and one that connects later, and needs no entry', () => {
    const { hub, connect } = createWorld();
    hub.cancel(TURN);
    const writer = connect(101);
    hub.cancel(TURN);
    expect(writer).toEqual(['cancel']);
    expect(connect(102)).toEqual(['cancel']);
  });
});

describe('a turn that this gateway does not know', () => {
  it('and that has ended comes from Postgres alone', async () => {
    const { sources, clock, watch } = createWorld();
    sources.end(...chunks(3), stored('199-4', done, '101-3'));
    const viewers = [watch(), watch('101-2'), watch('199-4'), watch('999999-9')];
    await clock.pass(0);
    expect(viewers.map(({ seen }) => seen.length)).toEqual([4, 2, 0, 0]);
    expect(viewers.map(({ ended }) => ended)).toEqual([1, 1, 1, 1]);
    expect(sources.calls).toEqual(['ended']);
    expect(clock.timers).toBe(0);
  });

  it('and that runs comes from one query, then from the lane', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    sources.store(...chunks(5));
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-6', ['w6']));
    await clock.pass(0);
    expect(viewer.seen).toHaveLength(6);
    expect(sources.calls).toEqual(['ended', 'durable null']);
    await clock.pass(4_000);
    expect(sources.calls).toHaveLength(2);
  });

  it('after a restart: a viewer ahead of what is stored waits, loses and repeats nothing', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    sources.store(...chunks(5));
    const ahead = watch('101-8');
    await clock.pass(0);
    connect(101);
    for (const { id } of chunks(10).slice(3)) hub.batch(TURN, batch(`101-${id.seq}`, [`w${id.seq}`]));
    expect(ahead.seen).toEqual(['101-9 w9', '101-10 w10']);
    const further = watch('101-11');
    hub.batch(TURN, batch('102-0', [reset(1), 'A'], null));
    expect(further.seen).toEqual(['102-0 reset', '102-1 A']);
    expect(ahead.seen.slice(2)).toEqual(further.seen);
  });

  it('and whose viewer holds more than the hub: the hub asks at once', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    connect(101);
    hub.batch(TURN, batch('101-1', ['w1'], null));
    sources.store(...chunks(9));
    const viewer = watch('101-7');
    await clock.pass(0);
    expect(viewer.seen).toEqual(['101-8 w8', '101-9 w9']);
  });
});

describe('when a source does not answer', () => {
  it('a query is given up after 2 s, and the next one fills the gap', async () => {
    const { sources, clock, watch } = createWorld();
    sources.durableIs = 'hang';
    sources.store(...chunks(3));
    const viewer = watch();
    await clock.pass(1_900);
    expect(sources.count('durable')).toBe(1);
    await clock.pass(200);
    expect(sources.aborted).toBe(1);
    sources.durableIs = 'answer';
    await clock.pass(1_000);
    expect(viewer.seen).toHaveLength(3);
  });

  it('a failing query is normal: it is tried again, and Postgres still tells the end', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    sources.durableIs = 'throw';
    const viewer = watch();
    await clock.pass(5_000);
    expect(sources.count('durable')).toBeLessThanOrEqual(8);
    sources.end(...chunks(1), stored('101-2', done));
    await clock.pass(1_100);
    expect(viewer.seen).toEqual(['101-1 w1', '101-2 done']);
    expect(viewer.ended).toBe(1);
  });

  it('a first query that fails is repeated soon, also when the lane is connected', async () => {
    const { sources, clock, connect, watch } = createWorld();
    connect(101);
    sources.durableIs = 'throw';
    const viewer = watch();
    await clock.pass(0);
    sources.durableIs = 'answer';
    sources.store(...chunks(3));
    await clock.pass(1_000);
    expect(viewer.seen).toHaveLength(3);
  });

  it('Postgres down delays the end, no more', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    sources.endedIs = 'throw';
    const viewer = watch();
    connect(101);
    sources.end(...chunks(1), stored('101-2', done));
    hub.batch(TURN, batch('101-2', [done]));
    await clock.pass(3_000);
    expect(viewer.ended).toBe(0);
    sources.endedIs = 'answer';
    await clock.pass(1_100);
    expect(viewer.seen).toEqual(['101-1 w1', '101-2 done']);
    expect(viewer.ended).toBe(1);
  });

  it('the end that comes by the lane does not wait for it', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    const viewer = watch();
    sources.durableIs = 'hang';
    await clock.pass(0);
    connect(101);
    hub.batch(TURN, batch('101-1', ['a', done], null));
    expect(viewer.seen).toEqual(['101-1 a', '101-2 done']);
    expect(viewer.ended).toBe(1);
    expect(sources.aborted).toBe(1);
    expect(clock.timers).toBe(0);
  });
});

describe('a turn that is silent', () => {
  it('for 15 s is reconciled, again every 15 s, and never while events come', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    watch();
    connect(101);
    hub.batch(TURN, batch('101-1', ['w1'], null));
    await clock.pass(14_000);
    expect(sources.count('reconcile')).toBe(0);
    await clock.pass(2_000);
    expect(sources.count('reconcile')).toBe(1);
    hub.batch(TURN, batch('101-2', ['w2']));
    await clock.pass(14_000);
    expect(sources.count('reconcile')).toBe(1);
    await clock.pass(60_000);
    expect(sources.count('reconcile')).toBeGreaterThanOrEqual(4);
    expect(sources.count('reconcile')).toBeLessThanOrEqual(6);
  });

  it('because its workflow is gone is reconciled at once and ends with what the sweeper stored', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    hub.batch(TURN, batch('101-1', ['w1', 'w2', 'never stored'], null));
    hub.closed(TURN, 101);
    sources.store(...chunks(2));
    sources.closed = true;
    const outside: StoredEvent[] = [
      stored('999999-0', reset(1), null),
      stored('999999-1', 'w1'),
      stored('999999-2', 'w2'),
      stored('999999-3', { type: 'error', code: 'turn_ended_outside', message: 'gone' }),
    ];
    sources.onReconcile = () => sources.end(...outside);
    await clock.pass(1_000);
    expect(sources.count('reconcile')).toBe(1);
    expect(viewer.seen.slice(3)).toEqual(['999999-0 reset', '999999-1 w1', '999999-2 w2', '999999-3 error']);
    expect(viewer.ended).toBe(1);
  });

  it('whose reconcile hangs is still asked about', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    sources.closed = true;
    sources.reconcileIs = 'hang';
    const viewer = watch();
    await clock.pass(1_000);
    sources.end(stored('999999-0', done, null));
    await clock.pass(6_000);
    expect(viewer.ended).toBe(1);
  });
});

describe('closing the hub', () => {
  it('ends every viewer, now and later, and leaves no timer and no query behind', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    const viewer = watch();
    sources.durableIs = 'hang';
    await clock.pass(0);
    hub.close();
    hub.close();
    await clock.pass(10_000);
    expect(viewer.ended).toBe(1);
    expect(sources.aborted).toBe(1);
    const late = watch();
    hub.expect(TURN);
    expect(connect(101)).toEqual([]);
    hub.batch(TURN, batch('101-1', ['a'], null));
    expect(late.seen).toEqual([]);
    expect(late.ended).toBe(1);
    expect(clock.timers).toBe(0);
  });
});

describe('a turn with 1,000 viewers', () => {
  it('delivers 200 events to each of them, in order, in far less than a second', () => {
    const { hub, connect } = createWorld();
    hub.expect(TURN);
    connect(101);
    let count = 0;
    let disorder = 0;
    for (let i = 0; i < 1_000; i += 1) {
      let next = 1;
      hub.attach(TURN, null, {
        event: ({ seq }) => {
          if (seq !== next) disorder += 1;
          next += 1;
          count += 1;
        },
        end: () => {},
      });
    }
    const started = performance.now();
    for (const [i, { event }] of chunks(200).entries()) {
      hub.batch(TURN, { epoch: 101, seq: i + 1, events: [event], ...(i === 0 && { after: null }) });
    }
    const took = performance.now() - started;
    expect({ count, disorder }).toEqual({ count: 200_000, disorder: 0 });
    expect(took).toBeLessThan(1_000);
  });
});
