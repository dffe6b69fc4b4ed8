/* Time, tokens and cost of a turn as numbers that can be compared. All functions here are pure. */
import type { TurnStatusResponse } from '../../contracts/http/turn-api.ts';
import { costWords } from '../wording/cost-words.ts';
import { numberWords, durationWords } from '../wording/number-words.ts';
import {
  knownPromptTokens,
  knownCompletionTokens,
  promptTokensHedge,
  completionTokensHedge,
} from '../wording/token-words.ts';
import type { TurnSpan } from './traced-spans.ts';

/** A turn with its status and the spans of its time. */
export interface MeasuredTurn {
  readonly status: TurnStatusResponse;
  readonly spans: readonly TurnSpan[];
  /** Milliseconds from the beginning of the turn to the end of its last span, or of the turn if that is later. */
  readonly timelineMs: number;
}

/**
 * One number of a turn. `value` is undefined if it is not known. `hedge` are the words before a number that is not
 * exact, and `words` formats the number.
 */
export interface TurnMeasure {
  readonly name: string;
  readonly value: number | undefined;
  readonly hedge?: string;
  readonly words: (value: number) => string;
}

const COST = 'Cost';

/** Returns the measures of a turn. Every turn has the same measures in the same order. */
export const measuresOf = ({ status, spans }: MeasuredTurn): readonly TurnMeasure[] => {
  const { startedAt, endedAt, usage, waste, cost } = status;
  const tokens = usage ?? {};
  const tookMs = endedAt === null ? undefined : Date.parse(endedAt) - Date.parse(startedAt);
  const count = (kind: TurnSpan['kind']): number => spans.filter((span) => span.kind === kind).length;
  const measure = (name: string, value: number | undefined, words = numberWords): TurnMeasure => ({
    name,
    value,
    words,
  });
  return [
    measure('Took', tookMs, durationWords),
    measure(COST, cost?.total, costWords),
    measure('Cost of repeats', cost?.wasted, costWords),
    measure('Model calls', count('model')),
    measure('Attempts that failed', count('attempt')),
    measure('Attempts that were lost', count('lost')),
    measure('Tools', count('tool')),
    { ...measure('Tokens read', knownPromptTokens(tokens)), hedge: promptTokensHedge(tokens) },
    measure('Tokens from a cache', usage?.cachedTokens),
    { ...measure('Tokens written', knownCompletionTokens(tokens)), hedge: completionTokensHedge(tokens) },
    measure('Duplicates refused', waste.duplicatesRefused),
    measure('Tokens asked for again', waste.retriedTokens),
    measure('Characters withdrawn', waste.discardedCharacters),
  ];
};

/** Returns the measures that say something about a turn: those that are known and not 0, and a cost even if it is 0. */
export const notableMeasures = (turn: MeasuredTurn): readonly TurnMeasure[] =>
  measuresOf(turn).filter(({ name, value }) => value !== undefined && (value !== 0 || name === COST));

/** Formats a measure, as `–` if it is not known. */
export const measureWords = ({ value, hedge = '', words }: TurnMeasure): string =>
  value === undefined ? '–' : hedge + words(value);

/**
 * Formats by how much the other turn differs: `+ 12`, `− 1.2 s` or `=`, or `about + 12` or `≈` if a number is not
 * exact. Returns an empty text if one of the two is not known.
 */
export const differenceWords = (one: TurnMeasure, other: TurnMeasure): string => {
  if (one.value === undefined || other.value === undefined) return '';
  const difference = other.value - one.value;
  const isExact = !one.hedge && !other.hedge;
  if (difference === 0) return isExact ? '=' : '≈';
  return `${isExact ? '' : 'about '}${difference > 0 ? '+' : '−'} ${one.words(Math.abs(difference))}`;
};
