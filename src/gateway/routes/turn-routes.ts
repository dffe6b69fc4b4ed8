import { Router, type Response } from 'express';
import { type TurnFileResponse, turnFileQuerySchema } from '../../contracts/http/file-api.ts';
import {
  eventsQuerySchema,
  type TurnAccepted,
  type TurnCancelResponse,
  type TurnUndoResponse,
} from '../../contracts/http/turn-api.ts';
import { turnQuerySchema, type TurnList } from '../../contracts/http/conversation-api.ts';
import { accessOf, requireVisible } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { refuseFile } from '../errors/file-refusal.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { foldAliases, QUERY_ALIASES } from '../requests/field-aliases.ts';
import { readPostedMessage } from '../requests/posted-message.ts';
import { parseRequest } from '../requests/validation.ts';
import { isDelivered, readResumePoint } from '../requests/resume-point.ts';
import type { SendTurnStream } from '../streams/turn-stream.ts';
import type { TakeStreamSlot } from '../guards/stream-slots.ts';
import type { MessageIntake } from '../turns/message-intake.ts';
import { requireTurn, shareLookups } from '../requests/turn-lookup.ts';
import { describeTurn, shownStatusOf } from '../turns/turn-status.ts';
import { conversationTitleOf } from '../responses/conversation-title.ts';
import { sendLongJson } from '../responses/send-json.ts';

export interface TurnRouteDeps extends Pick<
  GatewayDeps,
  'settings' | 'turns' | 'canceller' | 'watchedTurns' | 'turnUndo' | 'conversationLists'
> {
  readonly enterListQueue: EnterListQueue;
  readonly intake: MessageIntake;
  readonly takeStreamSlot: TakeStreamSlot;
  readonly sendTurnStream: SendTurnStream;
}

/**
 * Creates the routes of `/api/turns`: they list, start, stream, show, cancel and undo turns, and show what a turn has
 * changed in a file (docs/http-api.md).
 */
export const createTurnRoutes = (deps: TurnRouteDeps): Router => {
  const router = Router();
  addListRoute(router, deps);
  addStartRoute(router, deps);
  addStatusRoute(router, deps);
  addEventsRoute(router, deps);
  addCancelRoute(router, deps);
  addUndoRoute(router, deps);
  addChangesRoute(router, deps);
  return router;
};

const addListRoute = (router: Router, { conversationLists, enterListQueue }: TurnRouteDeps): void => {
  router.get('/', async (req, res) => {
    const query = parseRequest(turnQuerySchema, foldAliases(req.query, QUERY_ALIASES), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const { rows, hasMore } = await withDatabaseDeadline(conversationLists.listTurns(query));
    const list: TurnList = {
      turns: rows.map(({ beginning, startedAt, endedAt, ...row }) => ({
        ...row,
        title: conversationTitleOf(beginning),
        startedAt: startedAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
      })),
      more: hasMore,
    };
    await sendLongJson(res, JSON.stringify(list));
  });
};

const addStartRoute = (router: Router, { settings, intake }: TurnRouteDeps): void => {
  router.post('/', async (req, res): Promise<void> => {
    const posted = readPostedMessage(req, settings);
    if (posted.kind === 'note') return intake.storeNote(req, res, posted.note);
    await intake.startTurn(req, res, posted);
    sendAcceptedResponse(res, posted.turn.turnId);
  });
};

const sendAcceptedResponse = (res: Response, turnId: string): void => {
  const statusUrl = `/api/turns/${encodeURIComponent(turnId)}`;
  const accepted: TurnAccepted = { turnId, eventsUrl: `${statusUrl}/events`, statusUrl };
  res.status(202).location(statusUrl).json(accepted);
};

const addStatusRoute = (router: Router, { settings, turns }: TurnRouteDeps): void => {
  router.get('/:turnId', async (req, res) => {
    const turn = await requireTurn(req, turns, req.params.turnId);
    res.json(await describeTurn(turn, turns, settings.temporalUi));
  });
};

const addEventsRoute = (router: Router, deps: TurnRouteDeps): void => {
  const { takeStreamSlot, sendTurnStream } = deps;
  const sharedTurns = shareLookups(deps.turns);

  router.get('/:turnId/events', async (req, res) => {
    const { format } = parseRequest(eventsQuerySchema, req.query, 'query');
    const after = readResumePoint(req);
    const turn = await requireTurn(req, sharedTurns, req.params.turnId);
    if (isDelivered(turn, after)) {
      res.status(204).end();
      return;
    }
    takeStreamSlot(req, res);
    sendTurnStream(req, res, { turnId: turn.turnId, after, format });
  });
};

const addCancelRoute = (router: Router, { turns, canceller, watchedTurns }: TurnRouteDeps): void => {
  router.post('/:turnId/cancel', async (req, res) => {
    const turn = await requireTurn(req, turns, req.params.turnId);
    const response = { turnId: turn.turnId, status: shownStatusOf(turn) };
    if (turn.status !== 'running') return sendCancelResponse(res, 200, response);
    const { turnId } = turn;
    // Writers that are connected here stop sooner than by the signal.
    watchedTurns.cancel(turnId);
    await canceller.cancel(turnId, accessOf(req).name ?? 'local');
    sendCancelResponse(res, 202, response);
  });
};

const sendCancelResponse = (res: Response, status: 200 | 202, response: TurnCancelResponse): void => {
  res.status(status).json(response);
};

const addUndoRoute = (router: Router, { turns, turnUndo }: TurnRouteDeps): void => {
  router.post('/:turnId/undo', async (req, res) => {
    const { turnId, projectId, status } = await requireTurn(req, turns, req.params.turnId);
    if (status === 'running') {
      throw new ApiError('turn_in_progress', 'The turn has not ended yet: cancel it first.', {
        details: { turnId },
      });
    }
    const response: TurnUndoResponse = await turnUndo.undo({ turnId, projectId });
    req.log.info({ turnId, files: response.files }, 'turn undone');
    res.json(response);
  });
};

const addChangesRoute = (router: Router, { turns, turnUndo, enterListQueue }: TurnRouteDeps): void => {
  router.get('/:turnId/changes', async (req, res) => {
    const { path } = parseRequest(turnFileQuerySchema, req.query, 'query');
    const { turnId, projectId } = await requireTurn(req, turns, req.params.turnId);
    await enterListQueue(req, res);
    const texts = await turnUndo.readTexts({ turnId, projectId }, path).catch(refuseFile);
    if (!texts) throw new ApiError('not_found', 'The turn has not changed this file.');
    const response: TurnFileResponse = 'reason' in texts ? { path, ...texts } : { path, texts };
    await sendLongJson(res, JSON.stringify(response));
  });
};
