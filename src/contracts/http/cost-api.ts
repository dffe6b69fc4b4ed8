import { z } from 'zod';
import { integerText, offsetText } from './paging.ts';

/** Query of `GET /api/costs`: how many days, and which page of them. */
export const costQuerySchema = z.object({
  days: integerText(1, 366, 30).describe('Number of days, counting today (UTC): from 1 to 366. Default: 30.'),
  limit: integerText(1, 1_000, 1_000),
  offset: offsetText,
});

const dayCostSchema = z.object({
  key: z.string().describe('Name of the API key, or `local` if the gateway requires none.'),
  day: z.string().describe('The day in UTC, as `YYYY-MM-DD`.'),
  spent: z
    .number()
    .int()
    .describe('What the key spent on that day, in whole millionths of the currency of the prices.'),
  wasted: z.number().int().describe('The part of `spent` that repeated attempts of model calls caused.'),
  reserved: z.number().int().describe('The most that model calls which are still running may cost.'),
});

/**
 * Response to `GET /api/costs`, newest day first. A key that may use all projects gets the costs of every key. Any
 * other key gets only its own costs.
 */
export const costListSchema = z.object({
  costs: z.array(dayCostSchema).describe('One entry for each key and day, newest day first.'),
  more: z.boolean().describe('True if more entries follow.'),
});
export type CostList = z.infer<typeof costListSchema>;
