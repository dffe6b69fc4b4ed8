import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventBatchSchema } from '../../../src/contracts/wire/event-batch.ts';
import { compareEventIds, formatEventId, parseEventId } from '../../../src/contracts/wire/event-id.ts';
import {
  accept,
  eventsAfter,
  expandBatch,
  fullContentOf,
  mergeBatches,
  nextAfter,
  packEvents,
  type LoggedEvent,
} from '../../../src/protocol/event-log/event-log.ts';
import { isTerminal } from '../../../src/contracts/wire/turn-event.ts';
import { writtenTurn } from '../../event-log/support/written-turns.ts';

const at = (id: string, content: string, after?: string | null): LoggedEvent => {
  const stored = { id: parseEventId(id)!, event: { type: 'chunk' as const, content } };
  return after === undefined ? stored : { ...stored, after };
};

const reset = (id: string, fromSeq: number, after: string | null): LoggedEvent => ({
  id: parseEventId(id)!,
  after,
  event: { type: 'reset', fromSeq },
});

const ids = (list: readonly LoggedEvent[]): string[] => list.map(({ id }) => formatEventId(id));

describe('accept', () => {
  const begun = (): LoggedEvent[] => [at('0-1', 'a', null), at('0-2', 'b'), at('101-3', 'c', '0-2')];

  it.each<[string, LoggedEvent, 'accepted' | 'stale' | 'gap', string[]]>([
    ['the next of its epoch', at('101-4', 'x'), 'accepted', ['0-1', '0-2', '101-3', '101-4']],
    ['a repeat', at('101-3', 'c', '0-2'), 'stale', ['0-1', '0-2', '101-3']],
    ['a stale writer', at('0-3', 'x'), 'stale', ['0-1', '0-2', '101-3']],
    ['a gap in the epoch', at('101-5', 'x'), 'gap', ['0-1', '0-2', '101-3']],
    ['a new epoch at the end', at('199-4', 'x', '101-3'), 'accepted', ['0-1', '0-2', '101-3', '199-4']],
    ['a new epoch from its middle', at('199-4', 'x'), 'gap', ['0-1', '0-2', '101-3']],
    ['a new epoch after something unknown', at('199-9', 'x', '101-8'), 'gap', ['0-1', '0-2', '101-3']],
    ['a new epoch after an unreadable id', at('199-4', 'x', 'what'), 'gap', ['0-1', '0-2', '101-3']],
    ['text that would withdraw', at('102-3', 'x', '0-2'), 'gap', ['0-1', '0-2', '101-3']],
    ['a reset', reset('102-2', 3, '0-2'), 'accepted', ['0-1', '0-2', '102-2']],
    ['a reset of everything', reset('999999-0', 1, null), 'accepted', ['999999-0']],
    ['a reset after something unknown', reset('202-8', 9, '199-8'), 'gap', ['0-1', '0-2', '101-3']],
  ])('%s', (_name, event, verdict, left) => {
    const list = begun();
    expect(accept(list, event)).toBe(verdict);
    expect(ids(list)).toEqual(left);
  });

  it('begins an empty list only with an event that follows none', () => {
    expect(accept([], at('0-1', 'a'))).toBe('gap');
    expect(accept([], at('101-3', 'a', '0-2'))).toBe('gap');
    expect(accept([], at('0-1', 'a', null))).toBe('accepted');
  });

  it('keeps a second reset of the same step from leaving parts of the first retry', () => {
    const list = begun();
    accept(list, reset('102-2', 3, '0-2'));
    accept(list, at('102-3', 'd'));
    expect(accept(list, reset('103-2', 3, '0-2'))).toBe('accepted');
    expect(ids(list)).toEqual(['0-1', '0-2', '103-2']);
  });
});

describe('batches', () => {
  it('hold exactly the events that were packed', () => {
    fc.assert(
      fc.property(writtenTurn, ({ written }) => {
        const batches = packEvents(written);
        batches.forEach((batch) => eventBatchSchema.parse(JSON.parse(JSON.stringify(batch))));
        expect(batches.flatMap(expandBatch)).toEqual(written);
      }),
    );
  });

  it('carry a chunk of the model as a plain string and a notice as an event', () => {
    const notice = { type: 'chunk' as const, content: 'n', notice: 'duplicate' as const };
    const events = [at('0-1', 'a', null), { id: { epoch: 0, seq: 2 }, event: notice }];
    expect(packEvents(events)).toEqual([{ epoch: 0, seq: 1, after: null, events: ['a', notice] }]);
  });

  it('break at a gap and at an epoch', () => {
    const events = [at('0-1', 'a', null), at('0-2', 'b'), at('0-4', 'd'), at('101-5', 'e', '0-4')];
    expect(packEvents(events).map(({ epoch, seq }) => `${epoch}-${seq}`)).toEqual(['0-1', '0-4', '101-5']);
  });
});

describe('readers', () => {
  it('get every listed event above the id they hold, listed or not', () => {
    fc.assert(
      fc.property(writtenTurn, fc.nat(500), fc.nat(30), ({ surviving }, epoch, seq) => {
        const held = { epoch, seq };
        const expected = surviving.filter(({ id }) => compareEventIds(id, held) > 0);
        expect(eventsAfter(surviving, held)).toEqual(expected);
        expect(nextAfter(surviving, held)).toEqual(expected[0]);
      }),
    );
  });

  it('get everything when they hold nothing, in a list of their own', () => {
    const list = [at('0-1', 'a', null)];
    const all = eventsAfter(list, null);
    all.pop();
    expect(ids(list)).toEqual(['0-1']);
    expect(nextAfter(list, null)).toBe(list[0]);
  });

  it('of an ended turn come to the surviving list from segments in any order, cut and repeated', () => {
    const cuts = fc.array(fc.nat(60), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(writtenTurn, cuts, ({ written, surviving }, starts) => {
        const pieces = starts.flatMap((start) => packEvents(written.slice(start, start + 7)));
        expect(mergeBatches([...pieces, ...packEvents(written).reverse()])).toEqual(surviving);
      }),
    );
  });

  it('of a running turn come to the same list however often they have to ask', () => {
    const order = fc.array(fc.nat(1000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(writtenTurn, order, ({ written, surviving }, picks) => {
        const list: LoggedEvent[] = [];
        for (const pick of picks) {
          const before = list.length;
          const event = written[pick % written.length]!;
          if (accept(list, event) !== 'accepted') expect(list).toHaveLength(before);
        }
        for (const event of surviving) accept(list, event);
        expect(list).toEqual(surviving);
      }),
    );
  });

  it('see the text without notices', () => {
    const notice = { type: 'chunk' as const, content: 'N', notice: 'malformed' as const };
    const list = [at('0-1', 'a', null), { id: { epoch: 0, seq: 2 }, event: notice }, at('0-3', 'b')];
    expect(fullContentOf(list)).toBe('ab');
  });

  it('take done and error, and nothing else, for the end', () => {
    const usage = { promptTokens: 0, completionTokens: 0 };
    const done = { type: 'done', fullContent: '', status: 'completed', reason: 'answered', usage } as const;
    expect(isTerminal(done)).toBe(true);
    expect(isTerminal({ type: 'error', code: 'internal_error', message: '' })).toBe(true);
    expect(isTerminal({ type: 'chunk', content: '' })).toBe(false);
  });
});

describe('a long turn', () => {
  /** Returns how many looks at the list and changes of it the last of `count` events costs. */
  const stepsOfLast = (count: number): number => {
    let steps = 0;
    const counted = <Result>(result: Result): Result => {
      steps += 1;
      return result;
    };
    const held: LoggedEvent[] = [];
    const list = new Proxy(held, {
      get: (target, key, receiver) => counted<unknown>(Reflect.get(target, key, receiver)),
      set: (target, key, value, receiver) => counted(Reflect.set(target, key, value, receiver)),
    });
    for (let seq = 1; seq <= count; seq += 1) {
      steps = 0;
      expect(accept(list, at(`0-${seq}`, 'x', seq === 1 ? null : undefined))).toBe('accepted');
    }
    expect(held).toHaveLength(count);
    return steps;
  };

  it('costs the same steps for its thousandth event as for its tenth', () => {
    expect(stepsOfLast(10)).toBeGreaterThan(0);
    expect(stepsOfLast(1_000)).toBe(stepsOfLast(10));
  });
});
