import { z } from 'zod';
import { integerText } from './message-api.ts';

/** Query of `GET /api/costs`: how many days, and which page of them. */
export const costQuerySchema = z.object({
  days: integerText(1, 366, 30).describe('How many days, today (UTC) among them.'),
  limit: integerText(1, 1_000, 1_000),
  offset: integerText(0, 999_999_999, 0),
});

const dayCostSchema = z.object({
  key: z.string().describe('Name of the API key; `local` where there are none.'),
  day: z.string().describe('`YYYY-MM-DD`, UTC.'),
  spent: z.number().int().describe('Whole millionths of the currency of the prices.'),
  wasted: z.number().int().describe('The part of `spent` for attempts that were repeated.'),
  reserved: z.number().int().describe('What model calls that go on may cost at most.'),
});

/**
 * Answer of `GET /api/costs`: newest day first; of every key for a key that opens all projects, else only of one's own.
 */
export const costListSchema = z.object({ costs: z.array(dayCostSchema), more: z.boolean() });
export type CostList = z.infer<typeof costListSchema>;
