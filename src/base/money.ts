import { MILLIONTHS } from '../contracts/values/units.ts';

const MAX_AMOUNT = 1_000_000_000;

/** Says which amounts of money are allowed, for messages about an amount that is not. */
export const AMOUNT_EXPECTATION = `an amount from 0.000001 to ${MAX_AMOUNT} with at most six decimals`;

/**
 * Returns an amount of money in whole millionths. Returns undefined for an amount that `AMOUNT_EXPECTATION` does not
 * allow.
 */
export const millionthsOf = (amount: number): number | undefined => {
  const millionths = Math.round(amount * MILLIONTHS);
  return millionths / MILLIONTHS === amount && amount > 0 && amount <= MAX_AMOUNT ? millionths : undefined;
};
