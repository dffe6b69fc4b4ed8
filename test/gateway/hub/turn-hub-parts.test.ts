import { describe, expect, it } from '@jest/globals';
import { withinDeadline, type Deadline } from '../../../src/gateway/hub/deadline.ts';
import { ReorderBuffer } from '../../../src/gateway/hub/reorder-buffer.ts';
import { systemClock } from '../../../src/base/timing/clock.ts';
import { WatchedTurn } from '../../../src/gateway/hub/watched-turn.ts';
import { formatEventId } from '../../../src/contracts/wire/event-id.ts';
import { RecordingViewer, chunks, done, loggedEvent } from '../support/hub-world.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

describe('events that came early', () => {
  const offered = (buffer: ReorderBuffer): string[] => {
    const ids: string[] = [];
    buffer.retry(({ id }) => {
      ids.push(formatEventId(id));
      return 'gap';
    });
    return ids;
  };

  it('are offered again in the order of their ids, each once', () => {
    const buffer = new ReorderBuffer();
    for (const id of ['101-9', '101-7', '201-8', '101-7', '101-8', '201-8']) buffer.add(loggedEvent(id, 'x'));
    expect(offered(buffer)).toEqual(['101-7', '101-8', '101-9', '201-8']);
  });

  it('are forgotten when they are taken or outdated', () => {
    const buffer = new ReorderBuffer();
    for (const id of ['101-7', '101-9', '201-8']) buffer.add(loggedEvent(id, 'x'));
    buffer.retry(({ id }) => (id.seq === 7 ? 'accepted' : id.seq === 9 ? 'gap' : 'stale'));
    expect(offered(buffer)).toEqual(['101-9']);
  });

  it('are bounded: a writer whose beginning is lost cannot fill the memory', () => {
    const buffer = new ReorderBuffer();
    for (const event of chunks(10_000)) buffer.add(event);
    expect(buffer.size).toBe(4_096);
  });
});

describe('a watched turn that has ended', () => {
  it('gives every viewer all events and the end, and accepts nothing more', () => {
    const turn = new WatchedTurn(() => {});
    turn.finish([...chunks(2), loggedEvent('101-3', done)]);
    turn.finish(chunks(1));
    turn.addBatches([{ epoch: 201, seq: 4, after: '101-3', events: ['late'] }]);
    const viewer = new RecordingViewer();
    turn.attach(null, viewer);
    expect(viewer.seen).toEqual(['101-1 w1', '101-2 w2', '101-3 done']);
    expect(viewer.ended).toBe(1);
    expect(turn.hasViewers).toBe(false);
  });
});

describe('a deadline', () => {
  const setUp = () => {
    const failures: string[] = [];
    const stop = new AbortController();
    const clock = new ManualClock();
    const onFailure = (error: unknown): void => void failures.push(String(error));
    const deadline: Deadline = { clock, ms: 100, stop: stop.signal, onFailure };
    return { failures, stop, clock, deadline };
  };

  it('lets a timely answer through and leaves no timer', async () => {
    const { failures, clock, deadline } = setUp();
    expect(await withinDeadline(deadline, async () => 7)).toBe(7);
    expect(clock.timers).toBe(0);
    expect(failures).toEqual([]);
  });

  it('reports a failure, also one that is thrown at once', async () => {
    const { failures, deadline } = setUp();
    const answer = await withinDeadline(deadline, () => {
      throw new Error('refused');
    });
    expect(answer).toBeUndefined();
    expect(failures).toEqual(['Error: refused']);
  });

  it('aborts work that is late, says so once and drops its outcome', async () => {
    const { failures, clock, deadline } = setUp();
    let signal: AbortSignal | undefined;
    const answer = withinDeadline(deadline, (given) => {
      signal = given;
      return new Promise((_resolve, reject) =>
        given.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    });
    await clock.pass(100);
    expect(await answer).toBeUndefined();
    await settled();
    expect(signal?.aborted).toBe(true);
    expect(failures).toEqual(['Error: No answer within 100 ms']);
  });

  it('gives up without a word when it is stopped', async () => {
    const { failures, stop, clock, deadline } = setUp();
    const answer = withinDeadline(deadline, () => new Promise(() => {}));
    stop.abort();
    expect(await answer).toBeUndefined();
    expect(clock.timers).toBe(0);
    expect(failures).toEqual([]);
  });
});

describe('the system clock', () => {
  it('runs a timer once, and not when it was cancelled', async () => {
    const ran: string[] = [];
    systemClock.after(1, () => ran.push('cancelled'))();
    const before = systemClock.now();
    // The clock's timers are unref'd, so something else has to keep the process alive.
    const awake = setInterval(() => {}, 1_000);
    await new Promise<void>((resolve) => systemClock.after(20, resolve));
    clearInterval(awake);
    expect(ran).toEqual([]);
    expect(systemClock.now() - before).toBeGreaterThanOrEqual(19);
  });
});
