import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lastToSummarise, turnsInWindow, type WindowLimits } from '../../src/prompts/window.ts';

const turns = (...tokens: number[]) =>
  tokens.map((one, i) => ({ turnId: `t${i}`, tokens: one, messageCount: 2, summaryTokens: null }));

const keptCount = (all: ReturnType<typeof turns>, limits: WindowLimits): number =>
  turnsInWindow(all, limits, null).kept;

describe('the window of a conversation', () => {
  it('holds all turns while they fit', () => {
    expect(keptCount(turns(30, 30, 40), { tokens: 100, messages: undefined })).toBe(3);
    expect(keptCount([], { tokens: 0, messages: 0 })).toBe(0);
  });

  it('holds the newest turns if it is too small for all, at most half of it', () => {
    expect(keptCount(turns(30, 20, 40, 11), { tokens: 100, messages: undefined })).toBe(2);
    expect(keptCount(turns(60, 60), { tokens: 100, messages: undefined })).toBe(0);
  });

  it('counts messages in the same way, when they are limited', () => {
    expect(keptCount(turns(1, 1, 1, 1), { tokens: 100, messages: 8 })).toBe(4);
    expect(keptCount(turns(1, 1, 1, 1, 1), { tokens: 100, messages: 8 })).toBe(2);
    expect(keptCount(turns(1), { tokens: 100, messages: 0 })).toBe(0);
  });

  it('never holds more than fits, and moves in a conversation as often as its text makes it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 }), (sizes) => {
        let held: number[] = [];
        let moves = 0;
        for (const size of sizes) {
          const count = keptCount(turns(...held), { tokens: 100, messages: undefined });
          if (count < held.length) moves += 1;
          held = held.slice(0, count);
          expect(held.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(100);
          held = [size, ...held];
        }
        // Each move leaves at least half of the window free.
        expect(moves).toBeLessThanOrEqual(sizes.reduce((sum, one) => sum + one, 0) / 50);
      }),
    );
  });
});

describe('a window with summaries', () => {
  const limits = { tokens: 100, messages: undefined };
  /** Returns turns, newest first, of which the one at `at` is the last one of a summary. */
  const turnsWithSummary = (at: number, ...tokens: number[]) =>
    turns(...tokens).map((turn, i) => ({ ...turn, summaryTokens: i === at ? 5 : null }));

  it('begins with the turn after a finished summary when it moves', () => {
    expect(turnsInWindow(turnsWithSummary(2, 20, 20, 20, 41), limits, null)).toEqual({
      kept: 2,
      summary: { turnId: 't2', tokens: 5 },
    });
    expect(turnsInWindow(turnsWithSummary(0, 20, 90), limits, null)).toMatchObject({
      kept: 0,
      summary: { turnId: 't0' },
    });
  });

  it('keeps its summary while it has room for all turns', () => {
    const before = { turnId: 'before', tokens: 10 };
    expect(turnsInWindow(turnsWithSummary(2, 20, 20, 20, 30), limits, before)).toEqual({
      kept: 4,
      summary: before,
    });
    expect(turnsInWindow(turns(50, 45), limits, before)).toMatchObject({ kept: 0, summary: before });
  });

  it('moves by half where more than that has come since the summary, and still includes the summary', () => {
    expect(turnsInWindow(turnsWithSummary(3, 20, 20, 20, 41), limits, null)).toEqual({
      kept: 2,
      summary: { turnId: 't3', tokens: 5 },
    });
  });

  it('has the turns summarised that fill most of it, once it is nearly full', () => {
    expect(lastToSummarise(turns(20, 20, 20, 10), limits, null)).toBeUndefined();
    expect(lastToSummarise(turns(20, 20, 20, 11), limits, null)).toBe('t0');
    expect(lastToSummarise(turns(10, 21, 20, 20), limits, null)).toBe('t1');
    expect(lastToSummarise(turns(10, 20, 20, 20), limits, { turnId: 'before', tokens: 5 })).toBe('t1');
    expect(lastToSummarise(turns(90), limits, null)).toBe('t0');
    expect(lastToSummarise(turnsWithSummary(1, 10, 21, 20, 20), limits, null)).toBeUndefined();
    expect(lastToSummarise(turns(1, 1, 1, 1), { tokens: 100, messages: 10 }, null)).toBe('t1');
    expect(lastToSummarise([], limits, null)).toBeUndefined();
    expect(lastToSummarise([], { tokens: 0, messages: 0 }, null)).toBeUndefined();
  });

  it('leaves nothing out without a summary if each requested summary is made and turns are short', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 200 }), (sizes) => {
        let held: ReturnType<typeof turnsWithSummary> = [];
        let before: { turnId: string; tokens: number } | null = null;
        for (const [n, size] of sizes.entries()) {
          const { kept: count, summary } = turnsInWindow(held, limits, before);
          if (count < held.length) expect(summary?.turnId).toBe(held[count]?.turnId);
          [held, before] = [held.slice(0, count), summary];
          held = [{ turnId: `n${n}`, tokens: size, messageCount: 2, summaryTokens: null }, ...held];
          const last = lastToSummarise(held, limits, before);
          held = held.map((turn) => (turn.turnId === last ? { ...turn, summaryTokens: 5 } : turn));
        }
      }),
    );
  });
});
