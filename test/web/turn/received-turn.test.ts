/** Checks that what a page shows of a turn depends neither on when it came nor on how often its stream was cut. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  NOTHING_RECEIVED,
  addEvents,
  type ReceivedEvent,
  type ReceivedTurn,
} from '../../../src/web/turn/received-turn.ts';
import { sentTurn } from '../arbitrary-turns.ts';

/**
 * Takes the events in pieces, each of which begins somewhat before the end of the one before, as a repeated stream may.
 */
const inPieces = (events: readonly ReceivedEvent[], cuts: readonly number[]): ReceivedTurn => {
  let log = NOTHING_RECEIVED;
  let at = 0;
  for (const cut of [...cuts, events.length]) {
    const end = Math.min(at + cut, events.length);
    log = addEvents(log, events.slice(Math.max(at - 3, 0), end));
    at = end;
  }
  return addEvents(log, events.slice(at));
};

it('a viewer from the start sees in the end what a fresh load shows', () => {
  fc.assert(
    fc.property(sentTurn, ({ live, stored }) => {
      expect(addEvents(NOTHING_RECEIVED, live)).toEqual(addEvents(NOTHING_RECEIVED, stored));
    }),
    { numRuns: 500 },
  );
});

it('cuts, repeats and pieces of any size change nothing', () => {
  fc.assert(
    fc.property(sentTurn, fc.array(fc.nat(9), { maxLength: 12 }), ({ live }, cuts) => {
      expect(inPieces(live, cuts)).toEqual(addEvents(NOTHING_RECEIVED, live));
    }),
    { numRuns: 500 },
  );
});

it('a viewer that resumes after any id sees what a fresh load shows', () => {
  fc.assert(
    fc.property(sentTurn, fc.nat(60), ({ live, stored }, cut) => {
      const held = addEvents(NOTHING_RECEIVED, live.slice(0, cut));
      // The gateway sends what is stored after that id.
      expect(addEvents(held, stored)).toEqual(addEvents(NOTHING_RECEIVED, stored));
    }),
    { numRuns: 500 },
  );
});

it('every entry has a name of its own', () => {
  fc.assert(
    fc.property(sentTurn, ({ live }) => {
      const names = addEvents(NOTHING_RECEIVED, live).view.entries.map(({ seq }) => seq);
      expect(new Set(names).size).toBe(names.length);
    }),
    { numRuns: 500 },
  );
});
