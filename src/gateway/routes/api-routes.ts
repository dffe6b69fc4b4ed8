import express from 'express';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { KeyTurnLimit } from '../admission/key-turn-limit.ts';
import { createStartLimit } from '../admission/start-limit.ts';
import { createInputNewsStream } from '../streams/input-news-stream.ts';
import { createSendTurnStream } from '../streams/turn-stream.ts';
import { createStreamSlots } from '../guards/stream-slots.ts';
import { createMessageIntake } from '../turns/message-intake.ts';
import { fromDatabase } from '../requests/database-read.ts';
import { createChatRoutes } from './chat-routes.ts';
import { createCostRoutes } from './cost-routes.ts';
import { createDayRoutes } from './day-routes.ts';
import { createFileRoutes } from './file-routes.ts';
import { createConversationRoutes } from './conversation-routes.ts';
import { createPromptRoutes } from './prompt-routes.ts';
import { createOneConversationRoutes } from './one-conversation-routes.ts';
import { createInputRoutes } from './input-routes.ts';
import { createInfoRoutes } from './info-routes.ts';
import { createSteerRoutes } from './steer-routes.ts';
import { createTraceRoutes } from './trace-routes.ts';
import { createTurnRoutes } from './turn-routes.ts';
import { createIdentityRoute } from './sign-in-routes.ts';

/**
 * Creates the routes below `/api` that take JSON, and the limits that they share: starts, streams and lists of one
 * client. Mount them behind the authentication and the parser of bodies.
 */
export const createApiRoutes = (deps: GatewayDeps, enterListQueue: EnterListQueue): express.Router => {
  const { settings, turns } = deps;
  const startLimit = createStartLimit({
    perMinute: settings.turnsPerMinute,
    keyTurnLimit: new KeyTurnLimit({
      limits: settings.turnsPerKey,
      listRunning: (key, protocol) => fromDatabase(turns.listRunning(key, protocol)),
    }),
    projectOf: async (turnId) => (await fromDatabase(turns.find(turnId)))?.projectId,
    clock: deps.clock,
  });
  const shared = {
    intake: createMessageIntake({ ...deps, startLimit }),
    enterListQueue,
    takeStreamSlot: createStreamSlots(settings.maxStreamsPerClient),
    sendTurnStream: createSendTurnStream(deps),
    streamInputNews: createInputNewsStream(deps),
  };
  const router = express.Router();
  router.use(createInputRoutes({ ...deps, ...shared }), createSteerRoutes({ ...deps, ...shared }));
  router.use('/chat', createChatRoutes({ ...deps, ...shared }));
  router.use('/turns', createTurnRoutes({ ...deps, ...shared }));
  router.use('/trace', createTraceRoutes({ ...deps, ...shared }));
  router.use(createConversationRoutes({ ...deps, ...shared }), createCostRoutes({ ...deps, ...shared }));
  router.use(createDayRoutes({ ...deps, ...shared }), createFileRoutes({ ...deps, ...shared }));
  router.use(createPromptRoutes({ ...deps, ...shared }));
  router.use(
    createOneConversationRoutes({ ...deps, ...shared }),
    createInfoRoutes(deps),
    createIdentityRoute(),
  );
  return router;
};
