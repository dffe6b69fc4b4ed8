import { z } from 'zod';
import { fileProblems } from '../../base/errors/file-problems.ts';
import { expectationOf, issueLine } from '../../base/errors/zod-issue.ts';
import type { ModelPrice, Prices } from '../../contracts/model/model-price.ts';
import { MILLIONTHS } from '../../contracts/values/units.ts';
import { readJsonFile } from './json-file.ts';

const VARIABLE = 'ORION_PRICES_FILE';
const MAX_PRICE = 1_000_000;

/** The words with which problems say what a price must be. */
export const PRICE_EXPECTATION = `a price per million tokens, 0 to ${MAX_PRICE} with at most six decimals`;

const priceSchema = z
  .number()
  .refine(
    (price) => price >= 0 && price <= MAX_PRICE && hasSixDecimals(price),
    `expected ${PRICE_EXPECTATION}`,
  );

/** Prices of one model as a person writes them: per million tokens. */
export const modelPriceSchema = z.strictObject({
  input: priceSchema,
  /** Price of prompt tokens that come from a provider's cache. Absent means the price `input`. */
  cached: priceSchema.optional(),
  /** Price of prompt tokens that are put into a provider's cache. Absent means the price `input`. */
  cacheWrite: priceSchema.optional(),
  output: priceSchema,
});

const fileSchema = z.record(z.string().min(1), modelPriceSchema);

/**
 * Reads the prices of models. Returns none without a path, or if anything is wrong with the file. Its problems are
 * added to `problems`, one line each.
 */
export const readPrices = (path: string | undefined, problems: string[]): Prices => {
  if (path === undefined) return new Map();
  const file = { variable: VARIABLE, path, expected: 'a JSON file of prices' };
  const value = readJsonFile(file, problems);
  if (value === undefined) return new Map();
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) {
    return new Map(Object.entries(parsed.data).map(([model, prices]) => [model, toModelPrice(prices)]));
  }
  const problemLines = parsed.error.issues.map((issue) => priceLine(issue, value));
  problems.push(...fileProblems(file, problemLines));
  return new Map();
};

/**
 * Returns the prices of one model in the unit in which costs are computed. Cached tokens without a price of their own
 * cost as much as `input`.
 */
export const toModelPrice = ({
  input,
  cached = input,
  cacheWrite = input,
  output,
}: z.infer<typeof modelPriceSchema>): ModelPrice => ({
  input: Math.round(input * MILLIONTHS),
  cached: Math.round(cached * MILLIONTHS),
  cacheWrite: Math.round(cacheWrite * MILLIONTHS),
  output: Math.round(output * MILLIONTHS),
});

const hasSixDecimals = (price: number): boolean => Math.round(price * MILLIONTHS) / MILLIONTHS === price;

const priceLine = (issue: z.core.$ZodIssue, file: unknown): string =>
  issueLine(issue, file, { fields: 'input, cached, cacheWrite and output', expected: expectedIn(issue) });

const expectedIn = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== 'invalid_type') return expectationOf(issue);
  if (issue.expected === 'record') return 'an object of models';
  return issue.expected === 'object' ? 'an object of prices' : PRICE_EXPECTATION;
};
