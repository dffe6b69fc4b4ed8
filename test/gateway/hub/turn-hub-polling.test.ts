import { describe, expect, it } from '@jest/globals';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import { untyped } from '../../support/untyped.ts';
import { TURN, batch, chunks, createWorld, done, loggedEvent } from '../support/hub-world.ts';

const requested: TurnEvent = {
  type: 'input_requested',
  inputId: `${TURN}/1`,
  kind: 'approval',
  message: 'May it run?',
  options: ['allow', 'deny'],
  default: 'deny',
  expiresAt: '2026-01-06T09:00:00.000Z',
};
const reset = (fromSeq: number): TurnEvent => ({ type: 'reset', fromSeq });

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

  it('polls rarely for a turn that waits for a person, and at once when something wakes it', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    hub.batch(TURN, batch('101-1', [requested], null));
    const askedIn = async (ms: number): Promise<number> => {
      const before = sources.count('durable');
      await clock.pass(ms);
      return sources.count('durable') - before;
    };
    await askedIn(10_000);
    const inAnHour = await askedIn(3_600_000);
    expect(inAnHour).toBeGreaterThanOrEqual(119);
    expect(inAnHour).toBeLessThanOrEqual(121);
    hub.expectEvents(TURN);
    expect(await askedIn(2_000)).toBe(2);
    await askedIn(60_000);
    hub.cancel(TURN);
    sources.store(loggedEvent('101-1', requested, null), loggedEvent('101-2', done));
    await clock.pass(1_000);
    expect(viewer.seen).toHaveLength(2);
  });

  it('goes on polling after a page that cannot be taken', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    const viewer = watch();
    const queryEvents = sources.queryEvents.bind(sources);
    sources.queryEvents = () => Promise.resolve({ batches: [untyped(null)], more: false });
    await clock.pass(1_000);
    sources.queryEvents = queryEvents;
    sources.store(...chunks(2));
    await clock.pass(2_000);
    expect(viewer.seen).toHaveLength(2);
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

  it('keeps a turn that nobody watches while a writer is connected, so that a cancel finds it', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    const controls = connect(101);
    hub.batch(TURN, batch('101-1', ['w1'], null));
    await clock.pass(300_000);
    hub.cancel(TURN);
    expect(controls).toEqual(['cancel']);
    expect(watch().seen).toEqual(['101-1 w1']);
    expect(sources.calls).toEqual(['ended']);
  });

  it('first takes a quiet lane for a thinking model, but not for ever', async () => {
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

describe('a turn that this gateway does not know', () => {
  it('and that has ended comes only from Postgres', async () => {
    const { sources, clock, watch } = createWorld();
    sources.end(...chunks(3), loggedEvent('199-4', done, '101-3'));
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

  it('lets a viewer that is ahead of the stored events wait after a restart, and loses and repeats nothing', async () => {
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

  it('and whose viewer holds more than the hub is queried at once', async () => {
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

  it('a failing query is normal: it is retried, and the end still comes from Postgres', async () => {
    const { hub, sources, clock, watch } = createWorld();
    hub.expect(TURN);
    sources.durableIs = 'throw';
    const viewer = watch();
    await clock.pass(5_000);
    expect(sources.count('durable')).toBeGreaterThanOrEqual(4);
    expect(sources.count('durable')).toBeLessThanOrEqual(8);
    sources.end(...chunks(1), loggedEvent('101-2', done));
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

  it('a Postgres that is down only delays the end', async () => {
    const { hub, sources, clock, connect, watch } = createWorld();
    hub.expect(TURN);
    sources.endedIs = 'throw';
    const viewer = watch();
    connect(101);
    sources.end(...chunks(1), loggedEvent('101-2', done));
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
    sources.isClosed = true;
    const outside: LoggedEvent[] = [
      loggedEvent('999999-0', reset(1), null),
      loggedEvent('999999-1', 'w1'),
      loggedEvent('999999-2', 'w2'),
      loggedEvent('999999-3', { type: 'error', code: 'turn_ended_outside', message: 'gone' }),
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
    sources.isClosed = true;
    sources.reconcileIs = 'hang';
    const viewer = watch();
    await clock.pass(1_000);
    sources.end(loggedEvent('999999-0', done, null));
    await clock.pass(6_000);
    expect(viewer.ended).toBe(1);
  });
});
