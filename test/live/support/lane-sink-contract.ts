import { describe, expect, it } from '@jest/globals';
import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import type { LaneSink } from '../../../src/live/lane-sink.ts';

/** A sink of the lane, and what readers get from it. */
export interface SinkInUse {
  readonly sink: LaneSink;
  /** Watches a turn from its beginning. */
  watch(turnId: string): void;
  /** Returns the words of a turn in the order in which they are shown. */
  words(turnId: string): readonly string[];
  /** Tells the writers of a turn that it is cancelled. */
  cancel(turnId: string): void;
}

const TURN = 'turn-1';
const EPOCH = 101;

const batchOf = (seq: number, ...words: string[]): EventBatch => ({
  epoch: EPOCH,
  seq,
  events: words,
  ...(seq === 1 && { after: null }),
});

/** Describes what the reading end of the lane relies on; `open` is called once in each test. */
export const describeLaneSink = (name: string, open: () => SinkInUse): void => {
  const opened = () => {
    const inUse = open();
    inUse.watch(TURN);
    const told: LaneControl[] = [];
    inUse.sink.opened(TURN, EPOCH, (control) => void told.push(control));
    return { ...inUse, told };
  };

  describe(`a lane sink: ${name}`, () => {
    it('shows what is said, in order, at once', () => {
      const { sink, words } = opened();
      sink.batch(TURN, batchOf(1, 'one', 'two'));
      expect(words(TURN)).toEqual(['one', 'two']);
      sink.batch(TURN, batchOf(3, 'three'));
      expect(words(TURN)).toEqual(['one', 'two', 'three']);
    });

    it('shows once what a writer repeats after a cut', () => {
      const { sink, words } = opened();
      sink.batch(TURN, batchOf(1, 'one', 'two'));
      sink.closed(TURN, EPOCH);
      sink.opened(TURN, EPOCH, () => undefined);
      sink.batch(TURN, batchOf(1, 'one', 'two'));
      sink.batch(TURN, batchOf(3, 'three'));
      expect(words(TURN)).toEqual(['one', 'two', 'three']);
    });

    it('keeps turns apart', () => {
      const { sink, watch, words } = opened();
      watch('turn-2');
      sink.opened('turn-2', EPOCH, () => undefined);
      sink.batch(TURN, batchOf(1, 'mine'));
      sink.batch('turn-2', batchOf(1, 'other'));
      expect([words(TURN), words('turn-2')]).toEqual([['mine'], ['other']]);
    });

    it('accepts what belongs to no turn that it knows', () => {
      const { sink, words } = opened();
      sink.batch('straggler', batchOf(1, 'late'));
      sink.output('straggler', { type: 'tool_output', callId: 'c', stream: 'stdout', content: 'late' });
      sink.closed('straggler', EPOCH);
      expect(words(TURN)).toEqual([]);
    });

    it('sends controls to a writer from its arrival until it has left', () => {
      const { sink, cancel, told } = opened();
      cancel(TURN);
      expect(told).toEqual(['cancel']);
      sink.closed(TURN, EPOCH);
      cancel(TURN);
      expect(told).toEqual(['cancel']);
    });
  });
};
