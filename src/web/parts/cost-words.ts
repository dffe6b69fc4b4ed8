const MILLIONTHS = 1_000_000;
/** Below this every decimal is told: a turn of a small model costs some of the last ones. */
const SMALL = 0.1;

/** An amount in the currency of the prices, which has no name here: `1.25`, `0.00042`. Takes whole millionths. */
export const costWords = (millionths: number): string => {
  const amount = millionths / MILLIONTHS;
  const decimals = Math.abs(amount) < SMALL ? 6 : 2;
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: decimals });
};

/** The cost of a conversation, and what of it was in vain: `1.25`, `1.25, 0.02 of it for repeats`. Takes millionths. */
export const costAndWasteWords = (cost: number, wastedCost: number): string =>
  wastedCost > 0 ? `${costWords(cost)}, ${costWords(wastedCost)} of it for repeats` : costWords(cost);
