import { Router } from 'express';
import { traceQuerySchema } from '../../contracts/http/trace-api.ts';
import { requireVisible } from '../access/access.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { foldAliases, type FieldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { sendLongJson } from '../responses/send-json.ts';
import { nextOffsetOf } from '../responses/next-offset.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';

const ALIASES: FieldAliases = { ...PROJECT_ALIASES, requestId: ['request_id'] };

export interface TraceRouteDeps extends Pick<GatewayDeps, 'traces'> {
  readonly enterListQueue: EnterListQueue;
}

/**
 * Creates the route `GET /api/trace/logs`: a window of the traces of a project, oldest first (docs/storage.md
 * "Traces").
 */
export const createTraceRoutes = ({ traces, enterListQueue }: TraceRouteDeps): Router => {
  const router = Router();
  router.get('/logs', async (req, res) => {
    const query = parseRequest(traceQuerySchema, foldAliases(req.query, ALIASES), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const { events, count, total } = await withDatabaseDeadline(traces.list(query));
    const nextOffset = nextOffsetOf(query, count, total);
    await sendLongJson(res, `{"events":${events},"total":${total},"nextOffset":${nextOffset}}`);
  });
  return router;
};
