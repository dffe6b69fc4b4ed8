import { MILLIONTHS } from '../../contracts/values/units.ts';
import { partWords } from './number-words.ts';

/** Amounts below this are shown with two significant digits, because two decimals would show a cheap turn as `0.00`. */
const SMALL = 0.1;

/**
 * Formats an amount in the currency of the prices, without its name: `1,234.50`, `1.25`, `0.00042`. Takes whole
 * millionths.
 */
export const costWords = (millionths: number): string => {
  const amount = millionths / MILLIONTHS;
  const digits =
    amount !== 0 && Math.abs(amount) < SMALL
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return amount.toLocaleString('en', digits);
};

/** The words for the part of a cost that repeated attempts have caused. */
export const REPEATED_WORDS = 'for repeats';

/**
 * Formats the cost of a conversation, and the part of it that was wasted: `1.25`, `1.25, 0.02 of it for repeats`. Both
 * are in millionths.
 */
export const costAndWasteWords = (cost: number, wastedCost: number): string =>
  wastedCost > 0 ? partWords(costWords(cost), costWords(wastedCost), REPEATED_WORDS) : costWords(cost);
