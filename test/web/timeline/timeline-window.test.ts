/** Checks that a part of the turn's own time stays in sight, whatever is zoomed and moved. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isNarrowest,
  movedWindow,
  visiblePartOf,
  type TimeWindow,
  scaledWindow,
  windowAround,
} from '../../../src/web/timeline/timeline-window.ts';

type Step = (seen: TimeWindow, wholeMs: number) => TimeWindow;

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(2, 1 / 2).map(
    (factor): Step =>
      (seen, wholeMs) =>
        scaledWindow(seen, factor, wholeMs),
  ),
  fc.integer({ min: -1_000, max: 100_000 }).map(
    (to): Step =>
      (seen, wholeMs) =>
        movedWindow(seen, to, wholeMs),
  ),
  fc.record({ startMs: fc.nat(60_000), tookMs: fc.nat(60_000) }).map(
    (span): Step =>
      (_seen, wholeMs) =>
        windowAround(span, wholeMs),
  ),
);

it('any steps end in a window within the whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), fc.array(anyStep), (wholeMs, steps) => {
      const { fromMs, widthMs } = steps.reduce((seen, step) => step(seen, wholeMs), {
        fromMs: 0,
        widthMs: wholeMs,
      });
      expect(widthMs).toBeGreaterThan(0);
      expect(fromMs).toBeGreaterThanOrEqual(0);
      expect(fromMs + widthMs).toBeLessThanOrEqual(wholeMs + 1e-6);
    }),
  );
});

it('zooming keeps the middle, and a span that is zoomed to fills most of the width', () => {
  expect(scaledWindow({ fromMs: 400, widthMs: 200 }, 1 / 2, 1_000)).toEqual({ fromMs: 450, widthMs: 100 });
  expect(scaledWindow({ fromMs: 900, widthMs: 100 }, 2, 1_000)).toEqual({ fromMs: 800, widthMs: 200 });
  expect(windowAround({ startMs: 100, tookMs: 50 }, 1_000)).toEqual({ fromMs: 95, widthMs: 60 });
});

it('a span is seen as far as the window reaches', () => {
  const seen = { fromMs: 100, widthMs: 100 };
  expect(visiblePartOf(seen, 0, 50)).toBeUndefined();
  expect(visiblePartOf(seen, 250, 50)).toBeUndefined();
  expect(visiblePartOf(seen, 50, 100)).toEqual({ at: 0, width: 0.5 });
  expect(visiblePartOf(seen, 150, 500)).toEqual({ at: 0.5, width: 0.5 });
});

it('zooms in down to the narrowest window, and not at all into a shorter turn', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), fc.array(anyStep), (wholeMs, steps) => {
      const seen = steps.reduce((window, step) => step(window, wholeMs), { fromMs: 0, widthMs: wholeMs });
      expect(scaledWindow(seen, 1 / 2, wholeMs).widthMs < seen.widthMs).toBe(!isNarrowest(seen));
    }),
  );
});
