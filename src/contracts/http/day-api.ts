import { z } from 'zod';
import { projectDaySchema } from '../turn/project-day.ts';
import { idSchema } from '../values/ids.ts';
import { integerText } from './paging.ts';

/** Query of `GET /api/days`, with aliases of field names already replaced. */
export const dayQuerySchema = z.object({
  projectId: idSchema,
  days: integerText(1, 366, 30).describe('Number of days, counting today (UTC): from 1 to 366. Default: 30.'),
});

/** Response to `GET /api/days`, oldest first. A day without a turn is left out. */
export const dayListSchema = z.object({
  days: z.array(projectDaySchema).describe('The days on which turns were started, oldest first.'),
});
export type DayList = z.infer<typeof dayListSchema>;
