import express from 'express';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import type { TakeStreamSlot } from '../guards/stream-slots.ts';
import type { StreamInputNews } from '../streams/input-news-stream.ts';
import type { SendTurnStream } from '../streams/turn-stream.ts';
import type { MessageIntake } from '../turns/message-intake.ts';
import { createChatRoutes } from './chat-routes.ts';
import { createCostRoutes } from './cost-routes.ts';
import { createDayRoutes } from './day-routes.ts';
import { createFileRoutes } from './file-routes.ts';
import { createConversationListRoutes } from './conversation-list-routes.ts';
import { createPromptRoutes } from './prompt-routes.ts';
import { createOneConversationRoutes } from './one-conversation-routes.ts';
import { createInputRoutes } from './input-routes.ts';
import { createInfoRoutes } from './info-routes.ts';
import { createSteerRoutes } from './steer-routes.ts';
import { createTraceRoutes } from './trace-routes.ts';
import { createTurnRoutes } from './turn-routes.ts';
import { createIdentityRoute } from './sign-in-routes.ts';

/** What all routes of one app share, so that a limit counts a client wherever it comes in. */
export interface SharedRouteParts {
  readonly intake: MessageIntake;
  readonly enterListQueue: EnterListQueue;
  readonly takeStreamSlot: TakeStreamSlot;
  readonly sendTurnStream: SendTurnStream;
  readonly streamInputNews: StreamInputNews;
}

/**
 * Creates the routes below `/api` that take JSON. Mount them behind the authentication and the parser of bodies.
 */
export const createApiRoutes = (deps: GatewayDeps & SharedRouteParts): express.Router => {
  const router = express.Router();
  router.use(createInputRoutes(deps), createSteerRoutes(deps));
  router.use('/chat', createChatRoutes(deps));
  router.use('/turns', createTurnRoutes(deps));
  router.use('/trace', createTraceRoutes(deps));
  router.use(createConversationListRoutes(deps), createCostRoutes(deps));
  router.use(createDayRoutes(deps), createFileRoutes(deps), createPromptRoutes(deps));
  router.use(createOneConversationRoutes(deps), createInfoRoutes(deps), createIdentityRoute());
  return router;
};
