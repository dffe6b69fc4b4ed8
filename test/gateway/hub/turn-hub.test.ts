import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { packEvents } from '../../../src/protocol/event-log/event-log.ts';
import { TURN, batch, chunks, createWorld, loggedEvent } from '../support/hub-world.ts';

const reset = (fromSeq: number): TurnEvent => ({ type: 'reset', fromSeq });

describe('two attempts of one step', () => {
  it('on the lane fence the older when the newer connects, even when it comes back', () => {
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

  it('show every viewer the same, however they are interleaved', async () => {
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

  it('do not stop the polling when only a dead one holds the lane open', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    connect(101);
    connect(102);
    hub.batch(TURN, batch('102-0', [reset(1), 'A'], null));
    hub.closed(TURN, 102);
    sources.store(loggedEvent('102-0', reset(1), null), loggedEvent('102-1', 'A'), loggedEvent('102-2', 'B'));
    await clock.pass(300);
    expect(viewer.seen).toEqual(['102-0 reset', '102-1 A', '102-2 B']);
  });
});

describe('cancel', () => {
  it('reaches every connected writer and one that connects later, even for an unknown turn', () => {
    const { hub, connect } = createWorld();
    hub.cancel(TURN);
    const writer = connect(101);
    hub.cancel(TURN);
    expect(writer).toEqual(['cancel']);
    expect(connect(102)).toEqual(['cancel']);
  });
});

describe('interrupt', () => {
  it('names the model call, to every connected writer and to one that connects later', () => {
    const { hub, connect } = createWorld();
    const writer = connect(101);
    hub.interrupt(TURN, 1);
    expect(writer).toEqual([{ interrupt: 1 }]);
    expect(connect(102)).toEqual([{ interrupt: 1 }]);
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
  it('delivers 200 events to each of them, in order', () => {
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
    for (const [i, { event }] of chunks(200).entries()) {
      hub.batch(TURN, { epoch: 101, seq: i + 1, events: [event], ...(i === 0 && { after: null }) });
    }
    expect({ count, disorder }).toEqual({ count: 200_000, disorder: 0 });
  });
});
