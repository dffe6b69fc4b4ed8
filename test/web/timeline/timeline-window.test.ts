/** Checks that a part of the turn's own time stays in sight, whatever is zoomed and moved. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isNarrowest,
  movedTo,
  seenOf,
  type TimeWindow,
  widened,
  windowOf,
} from '../../../src/web/timeline/timeline-window.ts';

type Step = (seen: TimeWindow, wholeMs: number) => TimeWindow;

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(2, 1 / 2).map(
    (factor): Step =>
      (seen, wholeMs) =>
        widened(seen, factor, wholeMs),
  ),
  fc.integer({ min: -1_000, max: 100_000 }).map(
    (to): Step =>
      (seen, wholeMs) =>
        movedTo(seen, to, wholeMs),
  ),
  fc.record({ beganMs: fc.nat(60_000), tookMs: fc.nat(60_000) }).map(
    (span): Step =>
      (_seen, wholeMs) =>
        windowOf(span, wholeMs),
  ),
);

it('any steps end in a window within the whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), fc.array(anyStep), (wholeMs, steps) => {
      const { fromMs, wideMs } = steps.reduce((seen, step) => step(seen, wholeMs), {
        fromMs: 0,
        wideMs: wholeMs,
      });
      expect(wideMs).toBeGreaterThan(0);
      expect(fromMs).toBeGreaterThanOrEqual(0);
      expect(fromMs + wideMs).toBeLessThanOrEqual(wholeMs + 1e-6);
    }),
  );
});

it('zooming keeps the middle, and a span that is zoomed to fills most of the width', () => {
  expect(widened({ fromMs: 400, wideMs: 200 }, 1 / 2, 1_000)).toEqual({ fromMs: 450, wideMs: 100 });
  expect(widened({ fromMs: 900, wideMs: 100 }, 2, 1_000)).toEqual({ fromMs: 800, wideMs: 200 });
  expect(windowOf({ beganMs: 100, tookMs: 50 }, 1_000)).toEqual({ fromMs: 95, wideMs: 60 });
});

it('a span is seen as far as the window reaches', () => {
  const seen = { fromMs: 100, wideMs: 100 };
  expect(seenOf(seen, 0, 50)).toBeUndefined();
  expect(seenOf(seen, 250, 50)).toBeUndefined();
  expect(seenOf(seen, 50, 100)).toEqual({ at: 0, wide: 0.5 });
  expect(seenOf(seen, 150, 500)).toEqual({ at: 0.5, wide: 0.5 });
});

it('zooms in down to the narrowest window, and not at all into a shorter turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), fc.array(anyStep), (wholeMs, steps) => {
      const seen = steps.reduce((window, step) => step(window, wholeMs), { fromMs: 0, wideMs: wholeMs });
      expect(widened(seen, 1 / 2, wholeMs).wideMs < seen.wideMs).toBe(!isNarrowest(seen));
    }),
  );
});
