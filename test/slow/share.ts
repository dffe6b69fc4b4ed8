/**
 * The share of its seeds, races and kills that `npm run test:slow` goes through: `ORION_TEST_SHARE`, above 0 and at
 * most 1 (default: 1; see CONTRIBUTING.md).
 */
const share = Number(process.env['ORION_TEST_SHARE'] ?? 1);
if (!(share > 0 && share <= 1)) {
  throw new Error(`ORION_TEST_SHARE: expected a number above 0, at most 1, received ${share}`);
}

/** Returns that share of `count`, and at least 1. */
export const shareOf = (count: number): number => Math.max(1, Math.round(share * count));
