import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { packEvents } from '../../../src/protocol/event-log/event-log.ts';
import {
  RecordingViewer,
  TURN,
  batch,
  chunks,
  createWorld,
  done,
  idOf,
  loggedEvent,
} from '../support/hub-world.ts';

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

  it('gets the output of a command while it watches, between the events, and none of it later', () => {
    const { hub, connect, watch } = createWorld();
    hub.output(TURN, { type: 'tool_output', callId: 'c', stream: 'stdout', content: 'nobody is there' });
    hub.expect(TURN);
    const viewer = watch();
    connect(199);
    hub.batch(TURN, batch('101-1', ['a'], null));
    hub.output(TURN, { type: 'tool_output', callId: 'c', stream: 'stdout', content: 'one' });
    hub.batch(TURN, batch('101-2', ['b']));
    expect(viewer.seen).toEqual(['101-1 a', 'stdout: one', '101-2 b']);
    const later = watch();
    hub.batch(TURN, batch('101-3', [done]));
    hub.output(TURN, { type: 'tool_output', callId: 'c', stream: 'stdout', content: 'late' });
    expect(later.seen).toEqual(['101-1 a', '101-2 b', '101-3 done']);
    expect(viewer.seen.at(-1)).toBe('101-3 done');
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
      const list = [
        ...chunks(12),
        loggedEvent('199-13', 'n', '101-12'),
        loggedEvent('201-14', 'm', '199-13'),
      ];
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

  it.each([false, true])(
    'may leave while it is called, and gets nothing more, not even the end (fails as well: %s)',
    (fails) => {
      const { hub, connect, watch } = createWorld();
      hub.expect(TURN);
      connect(101);
      const leaver = new RecordingViewer();
      const leave = hub.attach(TURN, null, {
        event(id, event) {
          leaver.event(id, event);
          leave();
          if (fails) throw new Error('on its way out');
        },
        end: () => leaver.end(),
      });
      const last = watch();
      hub.batch(TURN, batch('101-1', ['a', 'b', done], null));
      expect(leaver.seen).toEqual(['101-1 a']);
      expect(leaver.ended).toBe(0);
      expect(last.seen).toEqual(['101-1 a', '101-2 b', '101-3 done']);
    },
  );

  it('that returns within the call that ended it gets the rest and the end', () => {
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

  it('that the durable log cannot fill yet is queried again, ever more slowly', async () => {
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
    expect(sources.maxInFlight).toBe(1);
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

  it('before the terminal event is filled from Postgres, which must have the turn by then', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    sources.end(...chunks(2), loggedEvent('101-3', done));
    hub.batch(TURN, batch('101-3', [done]));
    await clock.pass(0);
    expect(viewer.seen).toEqual(['101-1 w1', '101-2 w2', '101-3 done']);
    expect(viewer.ended).toBe(1);
    expect(sources.calls).toEqual(['ended']);
  });
});
