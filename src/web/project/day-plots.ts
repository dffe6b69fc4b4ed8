/* The figures of a project by day, as plots show them. All functions here are pure. */
import type { ProjectDay } from '../../contracts/turn/project-day.ts';
import { DAY_MS } from '../../contracts/values/units.ts';
import { costWords, REPEATED_WORDS } from '../wording/cost-words.ts';
import { numberWords, partWords } from '../wording/number-words.ts';

const NO_TURNS: Omit<ProjectDay, 'day'> = {
  turns: 0,
  failed: 0,
  cost: 0,
  wastedCost: 0,
  unpriced: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  duplicatesRefused: 0,
  retriedTokens: 0,
  discardedCharacters: 0,
};

/**
 * Returns the last `count` days in UTC, oldest first. The last day is that of `now`, which is in milliseconds since
 * 1970. Days without turns have zeros.
 */
export const withMissingDays = (
  days: readonly ProjectDay[],
  count: number,
  now: number,
): readonly ProjectDay[] => {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, ...NO_TURNS };
  });
};

/** A number that is plotted by day. `part` is a part of the number that is marked in the plot. */
export interface DayPlot {
  readonly title: string;
  readonly measure: (day: ProjectDay) => number;
  readonly words: (value: number) => string;
  readonly part?: {
    readonly name: string;
    readonly measure: (day: ProjectDay) => number;
    /** True if a larger part is better, which the colour shows. */
    readonly isGood: boolean;
  };
}

/** The plots of a project, in the order in which they are shown. */
export const DAY_PLOTS: readonly DayPlot[] = [
  {
    title: 'Turns',
    measure: ({ turns }) => turns,
    words: numberWords,
    part: { name: 'failed', measure: ({ failed }) => failed, isGood: false },
  },
  {
    title: 'Cost',
    measure: ({ cost }) => cost,
    words: costWords,
    part: { name: REPEATED_WORDS, measure: ({ wastedCost }) => wastedCost, isGood: false },
  },
  {
    title: 'Tokens read',
    measure: ({ promptTokens }) => promptTokens,
    words: numberWords,
    part: { name: 'from a cache', measure: ({ cachedTokens }) => cachedTokens, isGood: true },
  },
  { title: 'Tokens written', measure: ({ completionTokens }) => completionTokens, words: numberWords },
  { title: 'Duplicates refused', measure: ({ duplicatesRefused }) => duplicatesRefused, words: numberWords },
  { title: 'Tokens asked for again', measure: ({ retriedTokens }) => retriedTokens, words: numberWords },
];

/** Formats the sum of a plot over these days: `12, 3 of it failed`. */
export const plotWords = ({ measure, words, part }: DayPlot, days: readonly ProjectDay[]): string => {
  const partial = part ? sumOf(days, part.measure) : 0;
  const all = words(sumOf(days, measure));
  return part && partial > 0 ? partWords(all, words(partial), part.name) : all;
};

const sumOf = (days: readonly ProjectDay[], measure: (day: ProjectDay) => number): number =>
  days.reduce((sum, day) => sum + measure(day), 0);
