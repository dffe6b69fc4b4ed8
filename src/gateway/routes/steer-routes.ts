import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { turnMessageBodySchema, type TurnMessageResponse } from '../../contracts/http/steer-api.ts';
import { acceptedInputKindSchema } from '../../contracts/wire/input-events.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import { actorOf } from '../access/access.ts';
import { ApiError } from '../errors/api-error.ts';
import { toHintedApiError } from '../requests/error-handler.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { TurnView } from '../ports/turn-views.ts';
import { requestHashOf } from '../requests/request-hash.ts';
import { parseRequest } from '../requests/validation.ts';
import type { MessageIntake } from '../turns/message-intake.ts';
import { requireTurn } from '../requests/turn-lookup.ts';

export interface SteerRouteDeps extends Pick<
  GatewayDeps,
  'turns' | 'steers' | 'watchedTurns' | 'clock' | 'metrics'
> {
  readonly intake: MessageIntake;
}

/** Milliseconds to wait for the end of a turn that has refused a message because it is ending. */
const END_MS = 2_000;

/** Creates the route `POST /api/turns/:turnId/messages`: a message into a running turn (docs/inputs.md "Steering"). */
export const createSteerRoutes = (deps: SteerRouteDeps): Router => {
  const { turns, steers, metrics } = deps;
  const router = Router();

  router.post('/turns/:turnId/messages', async (req, res) => {
    const turn = await requireTurn(req, turns, req.params.turnId);
    const { queue, when, ...body } = parseRequest(turnMessageBodySchema, req.body, 'body');
    const message = { messageId: body.messageId ?? randomUUID(), content: safeText(body.content) };
    const { messageId } = message;
    const deliver = async (): Promise<TurnMessageResponse> => {
      const { turnId } = turn;
      const outcome = await steers.steer(turnId, { ...message, when, by: actorOf(req) });
      if (outcome.kind === 'accepted') return { messageId, turnId, state: 'accepted' };
      if (outcome.code !== 'turn_ended' || !queue) throw new ApiError(outcome.code, outcome.message);
      await startNext(deps, { req, res, turn, message });
      return { messageId, turnId: messageId, state: 'queued' };
    };
    // The turn may have taken the message although the response is an error. The client has to repeat it with the id
    // that was generated here: with another id it would be another message.
    const response = await deliver().catch((error: unknown) =>
      Promise.reject(toHintedApiError(error, { messageId })),
    );
    metrics.steered(response.state);
    req.log.info({ ...response, when }, 'message into a turn');
    res.status(202).json(response);
  });
  return router;
};

interface LateSteer {
  readonly req: Request;
  readonly res: Response;
  readonly turn: TurnView;
  readonly message: { readonly messageId: string; readonly content: string };
}

/**
 * Starts the next turn of the conversation with the message, under the settings of the turn that has refused it. Waits
 * up to `END_MS` for the end of that turn. Rejects with ApiError.
 */
const startNext = async (deps: SteerRouteDeps, { req, res, turn, message }: LateSteer): Promise<void> => {
  if (turn.status === 'running') await waitForEnd(deps, turn.turnId);
  const { projectId, conversationId, mode, protocol, clientTools = [], input } = turn;
  const { content } = message;
  // Only this is hashed, by which a repeat of the message is recognised. The settings are not part of the message: they
  // are those of the turn that has refused it.
  const request = {
    projectId,
    conversationId,
    content,
    mode,
    protocol,
    metadata: {},
    ...(clientTools.length > 0 && { clientTools }),
  };
  const settings = turnSettingsOf(input);
  await deps.intake.startTurn(req, res, {
    kind: 'turn',
    isIdGiven: true,
    turn: {
      turnId: message.messageId,
      ...request,
      requestHash: requestHashOf(request),
      ...settings,
      // A client that reads the message later finds the settings here, and can ask for them again.
      metadata: settings,
    },
  });
};

/** Returns the settings of a turn, in the form of the metadata that would give them to another message. */
const turnSettingsOf = ({ budgets, model, writeSession, inputs }: TurnView['input']) => {
  const requested = inputs?.approvals.requested;
  const acceptedKinds = acceptedInputKindSchema.options.filter((kind) => inputs?.accepts?.includes(kind));
  return {
    maxPhaseCycles: budgets.maxPhaseCycles,
    ...(model !== undefined && { model }),
    ...(writeSession !== undefined && { writeSession }),
    ...(requested !== undefined && { approvals: requested }),
    ...(acceptedKinds.length > 0 && { inputs: acceptedKinds }),
  };
};

/** Resolves when a turn has ended, or after `END_MS`. */
const waitForEnd = async ({ watchedTurns, clock }: SteerRouteDeps, turnId: string): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const detach = watchedTurns.attach(turnId, null, { event: () => undefined, end: resolve });
  const stop = clock.after(END_MS, resolve);
  await promise;
  stop();
  detach();
};
