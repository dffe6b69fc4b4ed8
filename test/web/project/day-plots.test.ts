import { expect, it } from '@jest/globals';
import type { ProjectDay } from '../../../src/contracts/turn/project-day.ts';
import { DAY_PLOTS, withMissingDays, plotWords } from '../../../src/web/project/day-plots.ts';

const NOW = Date.parse('2026-03-02T00:30:00.000Z');

it('every day is there up to today, those without turns as zeros, over the end of a month, too', () => {
  const known = {
    ...withMissingDays([], 1, Date.parse('2026-02-28T12:00:00.000Z'))[0],
    turns: 4,
  } as ProjectDay;
  const days = withMissingDays([known], 4, NOW);
  expect(days.map(({ day, turns }) => [day, turns])).toEqual([
    ['2026-02-27', 0],
    ['2026-02-28', 4],
    ['2026-03-01', 0],
    ['2026-03-02', 0],
  ]);
});

it('a plot names its sum, and the part that it sets apart', () => {
  const [day] = withMissingDays([], 1, NOW);
  const days = [day, day].map((each, index) => ({ ...each, turns: 1_000, failed: index }) as ProjectDay);
  expect(DAY_PLOTS.map((plot) => plotWords(plot, days)).slice(0, 2)).toEqual([
    '2,000, 1 of it failed',
    '0.00',
  ]);
});
