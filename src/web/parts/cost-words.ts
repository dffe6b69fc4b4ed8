import { MILLIONTHS } from '../../contracts/values/units.ts';
import { partWords } from './count-words.ts';

/** Amounts below this show every decimal: a turn of a small model costs a few of the last ones. */
const SMALL = 0.1;

/**
 * Formats an amount in the currency of the prices, which has no name here: `1.25`, `0.00042`. Takes whole millionths.
 */
export const costWords = (millionths: number): string => {
  const amount = millionths / MILLIONTHS;
  const decimals = Math.abs(amount) < SMALL ? 6 : 2;
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: decimals });
};

/** The name of the wasted part of a cost, beside the whole. */
export const FOR_REPEATS = 'for repeats';

/**
 * Formats the cost of a conversation, and its wasted part: `1.25`, `1.25, 0.02 of it for repeats`. Takes millionths.
 */
export const costAndWasteWords = (cost: number, wastedCost: number): string =>
  wastedCost > 0 ? partWords(costWords(cost), costWords(wastedCost), FOR_REPEATS) : costWords(cost);
