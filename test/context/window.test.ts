import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { turnsInWindow } from '../../src/context/window.ts';

const turns = (...tokens: number[]) => tokens.map((one) => ({ tokens: one, messages: 2 }));

describe('the window of a conversation', () => {
  it('holds all turns while they fit', () => {
    expect(turnsInWindow(turns(30, 30, 40), { tokens: 100, messages: undefined })).toBe(3);
    expect(turnsInWindow([], { tokens: 0, messages: 0 })).toBe(0);
  });

  it('that does not hold them holds the newest of them, at most half of it', () => {
    expect(turnsInWindow(turns(30, 20, 40, 11), { tokens: 100, messages: undefined })).toBe(2);
    expect(turnsInWindow(turns(60, 60), { tokens: 100, messages: undefined })).toBe(0);
  });

  it('counts messages in the same way, when they are limited', () => {
    expect(turnsInWindow(turns(1, 1, 1, 1), { tokens: 100, messages: 8 })).toBe(4);
    expect(turnsInWindow(turns(1, 1, 1, 1, 1), { tokens: 100, messages: 8 })).toBe(2);
    expect(turnsInWindow(turns(1), { tokens: 100, messages: 0 })).toBe(0);
  });

  it('never holds more than fits, and moves in a conversation as often as its text makes it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 }), (sizes) => {
        let kept: number[] = [];
        let moves = 0;
        for (const size of sizes) {
          const count = turnsInWindow(turns(...kept), { tokens: 100, messages: undefined });
          if (count < kept.length) moves += 1;
          kept = kept.slice(0, count);
          expect(kept.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(100);
          kept = [size, ...kept];
        }
        // Each move leaves half a window free at the least.
        expect(moves).toBeLessThanOrEqual(sizes.reduce((sum, one) => sum + one, 0) / 50);
      }),
    );
  });
});
