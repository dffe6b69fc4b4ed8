import { Router } from 'express';
import { traceQuerySchema } from '../../contracts/trace-event.ts';
import { requireVisible } from '../access/access.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { foldAliases, type FieldAliases, projectAliases } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { fromDatabase } from '../turns/turn-lookup.ts';

const aliases: FieldAliases = { ...projectAliases, requestId: ['request_id'] };

/** `GET /api/trace/logs` (storage.md "Traces"): a window of what happened in a project, oldest first. */
export const createTraceRoutes = ({ traces }: Pick<GatewayDeps, 'traces'>): Router => {
  const router = Router();
  router.get('/logs', async (req, res) => {
    const query = parseRequest(traceQuerySchema, foldAliases(req.query, aliases), 'query');
    requireVisible(req, query.projectId);
    const { events, total } = await fromDatabase(traces.list(query));
    res.type('json').send(`{"events":${events},"total":${total}}`);
  });
  return router;
};
