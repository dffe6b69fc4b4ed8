import { Router, type Request, type Response } from 'express';
import { messageQuerySchema, type MessageList, type MessageQuery } from '../../contracts/http/message-api.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { requireVisible } from '../access/access.ts';
import { turnNotFoundError } from '../errors/api-error.ts';
import { toChatMessage } from '../responses/chat-message.ts';
import { foldAliases, QUERY_ALIASES } from '../requests/field-aliases.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import { readPostedMessage } from '../requests/posted-message.ts';
import { requireProtocol } from '../requests/turn-options.ts';
import { isDelivered, readResumePoint } from '../requests/resume-point.ts';
import { sendLongJson } from '../responses/send-json.ts';
import { nextOffsetOf } from '../responses/next-offset.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import type { SendTurnStream } from '../streams/turn-stream.ts';
import type { TakeStreamSlot } from '../guards/stream-slots.ts';
import type { MessageIntake } from '../turns/message-intake.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { parseRequest } from '../requests/validation.ts';

export interface ChatRouteDeps extends Pick<GatewayDeps, 'settings' | 'turns' | 'messages' | 'metrics'> {
  readonly intake: MessageIntake;
  readonly enterListQueue: EnterListQueue;
  readonly takeStreamSlot: TakeStreamSlot;
  readonly sendTurnStream: SendTurnStream;
}

/**
 * Creates the routes below `/api/chat`: taking messages, whose turns they stream, and listing the messages of a
 * conversation (docs/http-api.md).
 */
export const createChatRoutes = (deps: ChatRouteDeps): Router => {
  const router = Router();
  addMessageRoutes(router, deps);
  addMessageListRoute(router, deps);
  return router;
};

const addMessageRoutes = (router: Router, deps: ChatRouteDeps): void => {
  const { settings, turns, metrics, intake, takeStreamSlot, sendTurnStream } = deps;

  const handleMessage = async (req: Request, res: Response, routeProtocol?: ProtocolName): Promise<void> => {
    const receivedAt = performance.now();
    const message = readPostedMessage(req, settings, routeProtocol);
    if (message.kind === 'note') return intake.storeNote(req, res, message.note);
    const after = readResumePoint(req);
    // Taken before the start: a turn that its client may not watch would run for nothing.
    takeStreamSlot(req, res);
    const startOutcome = await intake.startTurn(req, res, message);
    const { turnId, protocol } = message.turn;
    if (after && isDelivered(await withDatabaseDeadline(turns.find(turnId)), after)) {
      res.status(204).end();
      return;
    }
    const onFirstText = (): void => metrics.firstTextSent(protocol, (performance.now() - receivedAt) / 1_000);
    sendTurnStream(req, res, {
      turnId,
      after,
      format: 'compatible',
      ...(startOutcome === 'started' && { onFirstText }),
    });
  };

  router.post('/messages', (req, res) => handleMessage(req, res));

  router.post('/messages_two_stage', async (req, res) => {
    const { offersTwoStage } = settings;
    await handleMessage(req, res, requireProtocol({ isTwoStageRoute: true, offersTwoStage }));
  });
};

const addMessageListRoute = (router: Router, { turns, messages, enterListQueue }: ChatRouteDeps): void => {
  router.get('/messages', async (req, res) => {
    const query = parseRequest(messageQuerySchema, foldAliases(req.query, QUERY_ALIASES), 'query');
    requireVisible(req, query.projectId);
    await enterListQueue(req, res);
    const listQuery = query.leaf === undefined ? query : await findBranchQuery(query, query.leaf, turns);
    const { messages: storedMessages, total } = await withDatabaseDeadline(messages.list(listQuery));
    const nextOffset = nextOffsetOf(query, storedMessages.length, total);
    const list: MessageList = { messages: storedMessages.map(toChatMessage), total, nextOffset };
    await sendLongJson(res, JSON.stringify(list));
  });
};

/**
 * Returns the query for the branch that ends with the turn `leaf`, in the conversation of this turn. Throws
 * `turn_not_found` if there is no such turn, or it belongs to another project or conversation than the query names.
 */
const findBranchQuery = async (
  query: MessageQuery,
  leaf: string,
  turns: ChatRouteDeps['turns'],
): Promise<MessageQuery> => {
  const turn = await withDatabaseDeadline(turns.find(leaf));
  if (!turn || turn.projectId !== query.projectId) throw turnNotFoundError(leaf);
  const { conversationId } = turn;
  if (query.conversationId !== undefined && query.conversationId !== conversationId) {
    throw turnNotFoundError(leaf);
  }
  return { ...query, conversationId };
};
