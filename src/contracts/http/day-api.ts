import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText } from './message-api.ts';

/** Query of `GET /api/days`, with aliases already folded. */
export const dayQuerySchema = z.object({
  projectId: idSchema,
  days: integerText(1, 366, 30).describe('How many days, today (UTC) among them.'),
});

const count = z.number().int();
const projectDaySchema = z.object({
  day: z.string().describe('`YYYY-MM-DD`, UTC: when its turns were started.'),
  turns: count,
  failed: count.describe('Those of `turns` that ended with an error.'),
  cost: count.describe('Whole millionths of the currency of the prices, of turns whose cost is known.'),
  wastedCost: count.describe('The part of `cost` for attempts that were repeated.'),
  unpriced: count.describe('Turns that have ended and whose cost is not known.'),
  promptTokens: count,
  cachedTokens: count.describe('Of `promptTokens`, those that came from a prompt cache.'),
  completionTokens: count,
  duplicatesRefused: count.describe('Calls that were refused since they repeat another one.'),
  retriedTokens: count.describe('Tokens that were asked for again.'),
  discardedCharacters: count.describe('Text that was withdrawn from readers.'),
});
/** Figures of a project's turns that were started on one UTC day. */
export type ProjectDay = z.infer<typeof projectDaySchema>;

/** Answer of `GET /api/days`: oldest first; a day without a turn is left out. */
export const dayListSchema = z.object({ days: z.array(projectDaySchema) });
export type DayList = z.infer<typeof dayListSchema>;
