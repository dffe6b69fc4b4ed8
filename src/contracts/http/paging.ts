import { z } from 'zod';

/**
 * Returns the schema of an integer in a query string, from `min` to `max`, both inclusive. `fallback` is the value if
 * the query does not have it.
 */
export const integerText = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `expected an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected an integer from ${min} to ${max}`)
    .default(fallback)
    .describe(`An integer from ${min} to ${max}. Default: ${fallback}.`);

/** The `offset` of a query: how many entries to skip. */
export const offsetText = integerText(0, 999_999_999, 0);

/**
 * The `offset` of the next page. It is not always `offset` plus `limit`, because a page of long texts ends early. Null
 * on the last page.
 */
export const nextOffsetSchema = z
  .number()
  .int()
  .nullable()
  .describe(
    'The `offset` of the next page. Null on the last page. A page of long texts may have fewer than `limit` entries.',
  );
