import { Router } from 'express';
import {
  type NextPromptResponse,
  nextPromptQuerySchema,
  type SentPromptResponse,
  sentPromptQuerySchema,
  stepSchema,
} from '../../contracts/http/prompt-api.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import { requireVisible } from '../access/access.ts';
import { ApiError, turnNotFoundError, conversationNotFoundError } from '../errors/api-error.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { withDatabaseDeadline } from '../requests/database-deadline.ts';
import { foldAliases, PROJECT_ALIASES } from '../requests/field-aliases.ts';
import type { OfferedTurnOptions } from '../requests/turn-options.ts';
import { cutPromptPage } from '../responses/prompt-page.ts';
import { sendLongJson } from '../responses/send-json.ts';
import { describeValue, parseRequest, validationError } from '../requests/validation.ts';
import { requireTurn } from '../requests/turn-lookup.ts';

export interface PromptRouteDeps extends Pick<GatewayDeps, 'nextPrompt' | 'sentPrompt' | 'turns'> {
  readonly settings: Pick<OfferedTurnOptions, 'models'>;
  readonly enterListQueue: EnterListQueue;
}

/**
 * Creates the routes that show prompts, message by message: what the next turn would send, and what a model call was
 * sent (docs/context.md).
 */
export const createPromptRoutes = (deps: PromptRouteDeps): Router => {
  const router = Router();
  addNextPromptRoute(router, deps);
  addSentPromptRoute(router, deps);
  return router;
};

const addNextPromptRoute = (
  router: Router,
  { nextPrompt, settings, enterListQueue }: PromptRouteDeps,
): void => {
  router.get('/conversations/:conversationId/context', async (req, res) => {
    const query = parseRequest(nextPromptQuerySchema, foldAliases(req.query, PROJECT_ALIASES), 'query');
    const conversationId = parseRequest(idSchema, req.params['conversationId'], 'conversationId');
    const key = { projectId: query.projectId, conversationId };
    requireVisible(req, key.projectId);
    requireOffered(settings, query.model);
    await enterListQueue(req, res);
    const outcome = await withDatabaseDeadline(nextPrompt(key, query));
    if (outcome.kind === 'unknown_turn') throw turnNotFoundError(String(query.leaf));
    if (outcome.kind === 'unknown_conversation') throw conversationNotFoundError(key);
    const { kind: _kind, blocks, ...prompt } = outcome;
    const response: NextPromptResponse = { ...key, ...prompt, ...(await cutPromptPage(blocks, query)) };
    await sendLongJson(res, JSON.stringify(response));
  });
};

const requireOffered = ({ models }: Pick<OfferedTurnOptions, 'models'>, model: string | undefined): void => {
  if (model === undefined || models.includes(model)) return;
  const expected = `one of ${models.join(', ')}`;
  throw validationError([{ field: 'model', expected, received: describeValue(model) }]);
};

const addSentPromptRoute = (router: Router, { sentPrompt, turns, enterListQueue }: PromptRouteDeps): void => {
  router.get('/turns/:turnId/prompts/:step', async (req, res) => {
    const query = parseRequest(sentPromptQuerySchema, req.query, 'query');
    const step = parseRequest(stepSchema, req.params['step'], 'step');
    const { turnId } = await requireTurn(req, turns, req.params['turnId']);
    await enterListQueue(req, res);
    const prompt = await withDatabaseDeadline(sentPrompt(turnId, step));
    if (!prompt) {
      throw new ApiError(
        'not_found',
        `The turn has made no model call ${step}, or what its calls were sent is no longer kept.`,
      );
    }
    const { isWhole, blocks } = prompt;
    const response: SentPromptResponse = { turnId, step, isWhole, ...(await cutPromptPage(blocks, query)) };
    await sendLongJson(res, JSON.stringify(response));
  });
};
