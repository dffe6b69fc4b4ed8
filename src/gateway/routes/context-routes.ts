import { setImmediate as nextTick } from 'node:timers/promises';
import { Router } from 'express';
import { type ContextAnswer, contextQuerySchema } from '../../contracts/http/conversation-api.ts';
import { idSchema } from '../../contracts/values/ids.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { NextPrompt, PromptBlock } from '../../context/next-prompt.ts';
import type { ConversationKey } from '../../db/conversations/conversation-repository.ts';
import { redact } from '../../trace/redact.ts';
import { requireVisible } from '../access/access.ts';
import { turnNotFound } from '../errors/api-error.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import type { EnterListQueue } from '../guards/list-queue.ts';
import { fromDatabase } from '../requests/database-read.ts';
import { foldAliases, projectAliases } from '../requests/field-aliases.ts';
import type { ProtocolSettings } from '../requests/posted-message.ts';
import { describeValue, parseRequest, validationFailed } from '../requests/validation.ts';
import { unknownConversation } from '../errors/unknown-conversation.ts';
import { nextOffsetOf, sendLongJson } from '../requests/send-json.ts';

export interface ContextRouteDeps extends Pick<GatewayDeps, 'nextPrompt'> {
  readonly settings: Pick<ProtocolSettings, 'models'>;
  readonly enterListQueue: EnterListQueue;
}

/** The length of a block's text that is shown, in UTF-16 units. */
const SHOWN_CHARACTERS = 2_000;
/** Read for secrets: one that begins in what is shown has its end here. */
const READ_CHARACTERS = 4 * SHOWN_CHARACTERS;

const MAX_CALLS = 10;

/** `GET /api/conversations/:id/context`: the next prompt, block by block (docs/context.md). */
export const createContextRoutes = ({ nextPrompt, settings, enterListQueue }: ContextRouteDeps): Router => {
  const router = Router();
  router.get('/conversations/:conversationId/context', async (req, res) => {
    const query = parseRequest(contextQuerySchema, foldAliases(req.query, projectAliases), 'query');
    const conversationId = parseRequest(idSchema, req.params['conversationId'], 'conversationId');
    const key = { projectId: query.projectId, conversationId };
    requireVisible(req, key.projectId);
    requireOffered(settings, query.model);
    await enterListQueue(req, res);
    const found = await fromDatabase(nextPrompt(key, query));
    if (found.kind === 'unknown_turn') throw turnNotFound(String(query.leaf));
    if (found.kind === 'unknown_conversation') throw unknownConversation(key);
    await sendLongJson(res, JSON.stringify(await answerOf(key, found, query)));
  });
  return router;
};

const requireOffered = ({ models }: Pick<ProtocolSettings, 'models'>, model: string | undefined): void => {
  if (model === undefined || models.includes(model)) return;
  const expected = `one of ${models.join(', ')}`;
  throw validationFailed([{ field: 'model', expected, received: describeValue(model) }]);
};

const answerOf = async (
  key: ConversationKey,
  { kind: _found, blocks, ...prompt }: NextPrompt,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ContextAnswer> => {
  const page = [];
  for (const block of blocks.slice(offset, offset + limit)) {
    page.push(shown(block));
    // To look for secrets takes milliseconds where a text is all of names and values: streams go in between.
    await nextTick();
  }
  return {
    ...key,
    ...prompt,
    tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    blocks: page,
    total: blocks.length,
    nextOffset: nextOffsetOf({ offset }, page.length, blocks.length),
  };
};

const shown = ({ message, ...block }: PromptBlock): ContextAnswer['blocks'][number] => {
  const [content, ...calls] = textsOf(message);
  const text = [readable(content), ...calls.map(([name, args]) => `${name} ${readable(args)}`)]
    .filter((part) => part !== '')
    .join('\n');
  const isCut = text.length > SHOWN_CHARACTERS || content.length > READ_CHARACTERS;
  return { ...block, role: message.role, content: text.slice(0, SHOWN_CHARACTERS).toWellFormed(), isCut };
};

/** The text without secrets, as in traces: one that is JSON is read as such. */
const readable = (text: string): string => {
  const redacted = redact(text.slice(0, READ_CHARACTERS).toWellFormed());
  return typeof redacted === 'string' ? redacted : '';
};

/** Its words, and as many of its calls as can be shown. */
const textsOf = (message: ModelMessage): readonly [string, ...(readonly [name: string, args: string])[]] => {
  if (message.role !== 'assistant' || !message.tool_calls) return [message.content];
  const calls = message.tool_calls.slice(0, MAX_CALLS);
  return [message.content, ...calls.map(({ function: { name, arguments: args } }) => [name, args] as const)];
};
