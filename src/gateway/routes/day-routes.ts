import { Router } from 'express';
import { type DayList, dayQuerySchema } from '../../contracts/http/day-api.ts';
import type { ListProjectDays } from '../../db/usage/project-days.ts';
import { requireVisible } from '../access/access.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';

export interface DayRouteDeps {
  readonly projectDays: ListProjectDays;
  readonly enterListQueue: EnterListQueue;
}

/** Creates the route `GET /api/days`: figures of the turns of a project, by day. */
export const createDayRoutes = ({ projectDays, enterListQueue }: DayRouteDeps): Router => {
  const router = Router();
  router.get('/days', async (req, res) => {
    const query = parseRequest(dayQuerySchema, foldAliases(req.query, PROJECT_ALIASES), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const list: DayList = {
      days: [...(await withDatabaseDeadline(projectDays(query.projectId, query.days)))],
    };
    res.json(list);
  });
  return router;
};
