import { Router } from 'express';
import { inputQuerySchema, type InputResponse, type InputList } from '../../contracts/http/input-api.ts';
import { replyBodySchema } from '../../contracts/inputs/reply.ts';
import { inputIdOf, inputNumberOf } from '../../contracts/inputs/input-id.ts';
import type { InputRow } from '../../db/inputs/input-row.ts';
import { accessOf, actorOf, ownerOf, requireApprover, requireVisible } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import type { TakeStreamSlot } from '../guards/stream-slots.ts';
import type { ReplyOutcome } from '../ports/turn-controls.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import { parseRequest } from '../requests/validation.ts';
import { toInputView, toListedInput } from '../turns/input-view.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import type { StreamInputNews } from '../streams/input-news-stream.ts';
import { requireTurn } from '../requests/turn-lookup.ts';
import { sendLongJson } from '../responses/send-json.ts';

export interface InputRouteDeps extends Pick<GatewayDeps, 'turns' | 'inputRequests' | 'watchedTurns'> {
  readonly enterListQueue: EnterListQueue;
  readonly takeStreamSlot: TakeStreamSlot;
  readonly streamInputNews: StreamInputNews;
}

/** Creates the routes `/api/inputs` and `/api/turns/:turnId/inputs` (docs/inputs.md). */
export const createInputRoutes = (deps: InputRouteDeps): Router => {
  const { turns, inputRequests, watchedTurns, enterListQueue, takeStreamSlot, streamInputNews } = deps;
  const router = Router();

  router.get('/inputs', async (req, res) => {
    const { projectId, status, ...page } = parseRequest(
      inputQuerySchema,
      foldAliases(req.query, PROJECT_ALIASES),
      'query',
    );
    if (projectId !== undefined) requireVisible(req, projectId);
    await enterListQueue(req, res);
    const projects = projectId === undefined ? accessOf(req).projects : [projectId];
    const { rows, hasMore } = await withDatabaseDeadline(
      inputRequests.list({ projects, state: status, ...page }),
    );
    const list: InputList = { inputs: rows.map(toListedInput), more: hasMore };
    await sendLongJson(res, JSON.stringify(list));
  });

  router.get('/inputs/news', (req, res) => {
    takeStreamSlot(req, res);
    streamInputNews(req, res);
  });

  router.get('/turns/:turnId/inputs/:n', async (req, res) => {
    const { turnId } = await requireTurn(req, turns, req.params.turnId);
    res.json(toInputResponse(await requireInput(inputRequests, turnId, req.params.n)));
  });

  router.post('/turns/:turnId/inputs/:n', async (req, res) => {
    const { turnId } = await requireTurn(req, turns, req.params.turnId);
    requireApprover(req);
    const body = parseRequest(replyBodySchema, req.body, 'body');
    const inputId = inputIdOf(turnId, requireInputNumber(turnId, req.params.n));
    requireResolved(await inputRequests.reply(turnId, { ...body, inputId, by: actorOf(req) }, ownerOf(req)));
    watchedTurns.expectEvents(turnId);
    req.log.info({ inputId, reply: body.reply }, 'input request answered');
    res.json(toInputResponse(await requireInput(inputRequests, turnId, req.params.n)));
  });
  return router;
};

const toInputResponse = (row: InputRow): InputResponse => ({ input: toInputView(row) });

const requireInputNumber = (turnId: string, text: string): number => {
  const n = inputNumberOf(`/${text}`);
  if (n === undefined) throw inputNotFoundError(`${turnId}/${text}`);
  return n;
};

const requireInput = async (
  inputRequests: Pick<InputRouteDeps['inputRequests'], 'find'>,
  turnId: string,
  text: string,
): Promise<InputRow> => {
  const row = await withDatabaseDeadline(inputRequests.find(turnId, requireInputNumber(turnId, text)));
  if (!row) throw inputNotFoundError(`${turnId}/${text}`);
  return row;
};

const inputNotFoundError = (inputId: string): ApiError =>
  new ApiError('input_not_found', `There is no input request ${inputId}.`);

const requireResolved = (outcome: ReplyOutcome): void => {
  if (outcome.kind === 'resolved') return;
  const { code, message, closedBy } = outcome;
  throw new ApiError(code, message, closedBy === undefined ? {} : { details: closedBy });
};
