import { describe, expect, it } from '@jest/globals';
import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import type { LaneReceiver } from '../../../src/live/lane-receiver.ts';

/** A receiver of the lane, and what readers get from it. */
export interface LaneReceiverUnderContract {
  readonly receiver: LaneReceiver;
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
export const describeLaneReceiver = (name: string, open: () => LaneReceiverUnderContract): void => {
  const opened = () => {
    const inUse = open();
    inUse.watch(TURN);
    const told: LaneControl[] = [];
    inUse.receiver.opened(TURN, EPOCH, (control) => void told.push(control));
    return { ...inUse, told };
  };

  describe(`a lane receiver: ${name}`, () => {
    it('shows what is said, in order, at once', () => {
      const { receiver, words } = opened();
      receiver.batch(TURN, batchOf(1, 'one', 'two'));
      expect(words(TURN)).toEqual(['one', 'two']);
      receiver.batch(TURN, batchOf(3, 'three'));
      expect(words(TURN)).toEqual(['one', 'two', 'three']);
    });

    it('shows once what a writer repeats after a cut', () => {
      const { receiver, words } = opened();
      receiver.batch(TURN, batchOf(1, 'one', 'two'));
      receiver.closed(TURN, EPOCH);
      receiver.opened(TURN, EPOCH, () => undefined);
      receiver.batch(TURN, batchOf(1, 'one', 'two'));
      receiver.batch(TURN, batchOf(3, 'three'));
      expect(words(TURN)).toEqual(['one', 'two', 'three']);
    });

    it('keeps turns apart', () => {
      const { receiver, watch, words } = opened();
      watch('turn-2');
      receiver.opened('turn-2', EPOCH, () => undefined);
      receiver.batch(TURN, batchOf(1, 'mine'));
      receiver.batch('turn-2', batchOf(1, 'other'));
      expect([words(TURN), words('turn-2')]).toEqual([['mine'], ['other']]);
    });

    it('accepts what belongs to no turn that it knows', () => {
      const { receiver, words } = opened();
      receiver.batch('straggler', batchOf(1, 'late'));
      receiver.output('straggler', { type: 'tool_output', callId: 'c', stream: 'stdout', content: 'late' });
      receiver.closed('straggler', EPOCH);
      expect(words(TURN)).toEqual([]);
    });

    it('sends controls to a writer from its arrival until it has left', () => {
      const { receiver, cancel, told } = opened();
      cancel(TURN);
      expect(told).toEqual(['cancel']);
      receiver.closed(TURN, EPOCH);
      cancel(TURN);
      expect(told).toEqual(['cancel']);
    });
  });
};
