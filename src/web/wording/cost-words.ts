import { MILLIONTHS } from '../../contracts/values/units.ts';
import { partWords } from './count-words.ts';

/** Below this two decimals tell too little: a turn of a small model costs some of the last ones. */
const SMALL = 0.1;

/**
 * Returns an amount in the currency of the prices, which has no name here, to two decimals or two digits, whichever is
 * more: `1,234.50`, `1.25`, `0.00042`. Takes whole millionths.
 */
export const costWords = (millionths: number): string => {
  const amount = millionths / MILLIONTHS;
  const digits =
    amount !== 0 && Math.abs(amount) < SMALL
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return amount.toLocaleString('en', digits);
};

/** The name of the wasted part of a cost, beside the whole. */
export const FOR_REPEATS = 'for repeats';

/**
 * Formats the cost of a conversation, and its wasted part: `1.25`, `1.25, 0.02 of it for repeats`. Takes millionths.
 */
export const costAndWasteWords = (cost: number, wastedCost: number): string =>
  wastedCost > 0 ? partWords(costWords(cost), costWords(wastedCost), FOR_REPEATS) : costWords(cost);
