import { z } from 'zod';

const count = z.number().int();

/** Figures of a project's turns that were started on one UTC day. */
export const projectDaySchema = z.object({
  day: z.string().describe('The day in UTC on which the turns were started, as `YYYY-MM-DD`.'),
  turns: count.describe('Number of turns that were started on this day.'),
  failed: count.describe('Number of these turns that ended with an error.'),
  cost: count.describe(
    'Cost of the turns whose cost is known, in whole millionths of the currency of the prices.',
  ),
  wastedCost: count.describe('The part of `cost` that repeated attempts of model calls caused.'),
  unpriced: count.describe('Number of ended turns whose cost is not known.'),
  promptTokens: count.describe('Tokens of the prompts.'),
  cachedTokens: count.describe('The part of `promptTokens` that came from a prompt cache.'),
  completionTokens: count.describe('Tokens that the models generated.'),
  duplicatesRefused: count.describe(
    'Number of tool calls that were refused because they repeat another one.',
  ),
  retriedTokens: count.describe('Tokens that had to be generated again because an attempt was repeated.'),
  discardedCharacters: count.describe(
    'Characters of text that readers had seen and that a `reset` withdrew.',
  ),
});
export type ProjectDay = z.infer<typeof projectDaySchema>;
