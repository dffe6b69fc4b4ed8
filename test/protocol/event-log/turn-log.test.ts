import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import { expandBatch, fullContentOf, mergeBatches } from '../../../src/protocol/event-log/event-log.ts';
import { TurnLog } from '../../../src/protocol/event-log/turn-log.ts';

const action = (index: number) => ({ type: 'phase', phase: 'action', index, cycle: 0 }) as const;

/** Returns a log whose first step has begun, and the batch that its first attempt would send. */
const begun = (...texts: string[]) => {
  const log = new TurnLog();
  log.append(action(0));
  const start = log.beginStep();
  const batch: EventBatch = { epoch: 101, seq: start.fromSeq, after: start.after, events: texts };
  return { log, start, batch };
};

const everything = (log: TurnLog) => log.page(null).batches.flatMap(expandBatch);

describe('TurnLog', () => {
  it('begins each step after the last stored event and counts seq over the whole turn', () => {
    const { log, start, batch } = begun('Hello', ' world');
    expect(start).toEqual({ step: 1, fromSeq: 2, after: '0-1' });
    log.apply([batch]);
    log.append(action(1));
    expect(log.beginStep()).toEqual({ step: 2, fromSeq: 5, after: '199-4' });
  });

  it('takes repeated and overlapping batches once, so a signal may be sent again', () => {
    const { log, batch } = begun('a', 'b', 'c');
    log.apply([batch]);
    log.apply([batch, { epoch: 101, seq: 3, events: ['b', 'c', 'd'] }]);
    expect(fullContentOf(everything(log))).toBe('abcd');
  });

  it('drops a batch with a gap before it: the attempt sends the missing one again', () => {
    const { log, batch } = begun('a');
    log.apply([{ epoch: 101, seq: 4, events: ['late'] }, batch]);
    expect(fullContentOf(everything(log))).toBe('a');
  });

  it.each([199, 201, 999_999])(
    'goes on after a batch of epoch %d, which no attempt of the step has',
    (epoch) => {
      const { log, batch } = begun('a');
      log.apply([{ ...batch, epoch, events: ['of nobody'] }, batch]);
      log.append(action(1));
      expect(fullContentOf(everything(log))).toBe('a');
      expect(everything(log).at(-1)).toMatchObject({ id: { epoch: 199, seq: 3 }, event: action(1) });
    },
  );

  it('fails rather than lose an own event, and names it', () => {
    const { log } = begun();
    log.append(action(1));
    expect(() => log.endLostStep()).toThrow('own event 199-1 (reset) after 199-2: stale');
  });

  it('lets a later attempt withdraw the text of an earlier one, and counts the loss', () => {
    const { log, start, batch } = begun('dead text');
    log.apply([batch]);
    const reset = { type: 'reset', fromSeq: start.fromSeq } as const;
    log.apply([{ epoch: 102, seq: start.fromSeq - 1, after: start.after, events: [reset, 'alive'] }]);
    log.apply([{ epoch: 101, seq: 3, events: [' of a zombie'] }]);
    expect(fullContentOf(everything(log))).toBe('alive');
    expect(log.discardedCharacters).toBe('dead text'.length);
  });

  it('keeps what a lost step has said, under ids that its last attempt cannot use', () => {
    const { log, batch } = begun('what', ' was said');
    log.apply([batch]);
    log.endLostStep();
    log.apply([{ epoch: 101, seq: 4, events: [' by a zombie'] }]);
    const ids = everything(log).map(({ id }) => `${id.epoch}-${id.seq}`);
    expect(ids).toEqual(['0-1', '199-1', '199-2']);
    expect(fullContentOf(everything(log))).toBe('what was said');
    expect(log.discardedCharacters).toBe(0);
  });

  it('stores a lost step so that late readers get the same list from segments', () => {
    const { log, batch } = begun('one', 'two');
    log.apply([batch]);
    log.endLostStep();
    const zombieSegment: EventBatch = { ...batch, events: ['one', 'two', 'three'] };
    expect(mergeBatches([zombieSegment, ...log.ownEvents()])).toEqual(everything(log));
  });

  it('writes a lost step again in few events, or an input of Temporal could not carry them', () => {
    const pieces = Array.from({ length: 10_000 }, (_, i) => `${i} `);
    const { log, batch } = begun(...pieces);
    const calls = (text: string) => ({
      type: 'tool_calls' as const,
      calls: [{ id: 'c', type: 'function' as const, function: { name: 'write', arguments: text } }],
    });
    log.apply([{ ...batch, events: [...batch.events, calls('{'), calls('{"a"'), calls('{"a":1}')] }]);
    log.endLostStep();
    const events = everything(log).map(({ event }) => event);
    expect(fullContentOf(everything(log))).toBe(pieces.join(''));
    expect(events.length).toBeLessThan(20);
    expect(events.filter(({ type }) => type === 'tool_calls')).toEqual([calls('{"a":1}')]);
  });

  it('leaves a prelude too large for an input to the durable log', () => {
    const log = new TurnLog();
    log.append({ type: 'chunk', notice: 'tool_result', content: 'x'.repeat(300 * 1024) });
    expect(log.takePrelude()).toEqual([]);
    log.append(action(1));
    expect(log.takePrelude().flatMap(expandBatch)).toHaveLength(1);
    expect(log.ownEvents().flatMap(expandBatch)).toHaveLength(2);
  });

  it('cuts shown tool results once there are more than a close can carry, and nothing else', () => {
    const log = new TurnLog();
    const shown = { type: 'chunk', notice: 'tool_result', content: '語'.repeat(30_000) } as const;
    for (let i = 0; i < 50; i += 1) log.append(shown);
    log.append({ type: 'chunk', notice: 'duplicate', content: 'n'.repeat(1_000) });
    expect(Buffer.byteLength(JSON.stringify(log.ownEvents()))).toBeLessThan(1_000_000);
    const events = log.ownEvents().flatMap(expandBatch);
    expect(events).toHaveLength(51);
    expect(events[0]?.event).toEqual(shown);
    expect(events.at(-1)?.event).toMatchObject({ content: 'n'.repeat(1_000) });
  });

  it('gives each own event to exactly one activity as prelude', () => {
    const log = new TurnLog();
    log.append(action(0));
    expect(log.takePrelude().flatMap(expandBatch)).toHaveLength(1);
    expect(log.takePrelude()).toEqual([]);
    log.beginStep();
    log.append(action(1));
    expect(
      log
        .takePrelude()
        .flatMap(expandBatch)
        .map(({ id }) => id),
    ).toEqual([{ epoch: 199, seq: 2 }]);
  });

  it('names the terminal event without listing it: nobody may read it before the commit', () => {
    const { log, batch } = begun('answer');
    log.apply([batch]);
    expect(log.terminalPosition()).toEqual({ terminalId: '199-3', terminalAfter: '101-2' });
    expect(everything(log)).toHaveLength(2);
  });

  it('answers long turns page by page, each under the query limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 60_000, unit: 'grapheme' }), { maxLength: 60 }),
        (texts) => {
          const { log, batch } = begun('first', ...texts);
          log.apply([batch]);
          const seen = [];
          for (let from: { epoch: number; seq: number } | null = null; ;) {
            const page = log.page(from);
            expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(1024 * 1024);
            seen.push(...page.batches.flatMap(expandBatch));
            from = seen.at(-1)?.id ?? null;
            if (!page.more) break;
          }
          expect(fullContentOf(seen)).toBe(['first', ...texts].join(''));
        },
      ),
      { numRuns: 20 },
    );
  });
});
