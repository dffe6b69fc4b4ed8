import { Router } from 'express';
import { traceQuerySchema } from '../../contracts/http/traces.ts';
import { requireVisible } from '../access/access.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import type { AwaitListTurn } from '../guards/list-turns.ts';
import { foldAliases, type FieldAliases, projectAliases } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { nextOf, sendLongJson } from './send-json.ts';
import { fromDatabase } from '../turns/turn-lookup.ts';

const aliases: FieldAliases = { ...projectAliases, requestId: ['request_id'] };

export interface TraceRouteDeps extends Pick<GatewayDeps, 'traces'> {
  readonly awaitListTurn: AwaitListTurn;
}

/** `GET /api/trace/logs` (docs/storage.md "Traces"): a window of what happened in a project, oldest first. */
export const createTraceRoutes = ({ traces, awaitListTurn }: TraceRouteDeps): Router => {
  const router = Router();
  router.get('/logs', async (req, res) => {
    const query = parseRequest(traceQuerySchema, foldAliases(req.query, aliases), 'query');
    requireVisible(req, query.projectId);
    await awaitListTurn(req, res);
    const { events, count, total } = await fromDatabase(traces.list(query));
    const nextOffset = nextOf(query, count, total);
    await sendLongJson(res, `{"events":${events},"total":${total},"nextOffset":${nextOffset}}`);
  });
  return router;
};
