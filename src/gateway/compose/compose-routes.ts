import { KeyTurnLimit } from '../admission/key-turn-limit.ts';
import { createStartLimit, type StartLimit } from '../admission/start-limit.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import { createListQueue } from '../guards/list-queue.ts';
import { createStreamSlots } from '../guards/stream-slots.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import type { SharedRouteParts } from '../routes/api-routes.ts';
import { createInputNewsStream } from '../streams/input-news-stream.ts';
import { createSendTurnStream } from '../streams/turn-stream.ts';
import { createMessageIntake } from '../turns/message-intake.ts';

/** Builds what the routes of one app share: the intake of messages, the streams, and the limits of one client. */
export const composeRouteParts = (deps: GatewayDeps): SharedRouteParts => ({
  intake: createMessageIntake({ ...deps, startLimit: composeStartLimit(deps) }),
  enterListQueue: createListQueue(deps.clock),
  takeStreamSlot: createStreamSlots(deps.settings.maxStreamsPerClient),
  sendTurnStream: createSendTurnStream(deps),
  streamInputNews: createInputNewsStream(deps),
});

const composeStartLimit = ({ settings, turns, clock }: GatewayDeps): StartLimit =>
  createStartLimit({
    perMinute: settings.turnsPerMinute,
    keyTurnLimit: new KeyTurnLimit({
      limits: settings.turnsPerKey,
      listRunning: (key, protocol) => withDatabaseDeadline(turns.listRunning(key, protocol)),
    }),
    findProject: async (turnId) => (await withDatabaseDeadline(turns.find(turnId)))?.projectId,
    clock,
  });
