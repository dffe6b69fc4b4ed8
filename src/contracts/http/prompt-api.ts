import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText, nextOffsetSchema, offsetText } from './paging.ts';

/** The fields of a query that choose a page of a prompt's messages, and how much of each message is returned. */
const page = {
  limit: integerText(1, 100, 50),
  offset: offsetText,
  characters: integerText(1, 16_000, 2_000).describe(
    'Maximum number of characters (UTF-16 units) to return of each message: up to 16,000. Default: 2,000.',
  ),
};

/** The fields that describe one message of a prompt to people. */
const block = {
  role: z.enum(['system', 'user', 'assistant', 'tool']).describe('Role of the message in the prompt.'),
  tokens: z.number().int().describe('Tokens of the whole message, estimated from its bytes.'),
  content: z
    .string()
    .describe('The beginning of the message with secrets removed, followed by its tool calls.'),
  isCut: z.boolean().describe('True if the message is longer than `content`.'),
};

/** Query of `GET /api/conversations/:conversationId/context`, with aliases of field names already replaced. */
export const nextPromptQuerySchema = z.object({
  projectId: idSchema,
  leaf: idSchema
    .optional()
    .describe('Id of the turn that the next turn would continue. Default: the newest turn.'),
  model: z
    .string()
    .optional()
    .describe(
      'The model that would receive the prompt; its context window limits the prompt. Default: the model of the gateway.',
    ),
  ...page,
});

const nextPromptBlockSchema = z.object({
  part: z
    .enum(['system', 'earlier', 'next'])
    .describe(
      '`system`: the system prompt. `earlier`: a message of an earlier turn. `next`: what the next message would begin with.',
    ),
  turnId: z
    .string()
    .nullable()
    .describe('Id of the earlier turn that the message comes from. Null if it comes from none.'),
  ...block,
});

/** Response to `GET /api/conversations/:conversationId/context`: the next prompt, in the order in which it is sent. */
export const nextPromptResponseSchema = z.object({
  projectId: z.string(),
  conversationId: z.string(),
  leaf: z
    .string()
    .nullable()
    .describe('Id of the turn that the next turn would continue. Null if the conversation has no turn.'),
  anchorTurnId: z
    .string()
    .nullable()
    .describe('Id of the earliest turn that the prompt contains. Null if it contains no earlier turn.'),
  isWhole: z.boolean().describe('False if the prompt leaves out older turns.'),
  tokens: z.number().int().describe('Tokens of the whole prompt, without the definitions of tools.'),
  limit: z
    .number()
    .int()
    .describe('Tokens that a prompt may have: `CONTEXT_TOKENS`, or less if the model accepts less.'),
  blocks: z.array(nextPromptBlockSchema).describe('The messages of this page, in the order of the prompt.'),
  total: z.number().int().describe('Number of messages of the whole prompt.'),
  nextOffset: nextOffsetSchema,
});
export type NextPromptResponse = z.infer<typeof nextPromptResponseSchema>;

/** Query of `GET /api/turns/:turnId/prompts/:step`. */
export const sentPromptQuerySchema = z.object(page);

/** The number of a model call in its turn, as it stands in a path: `1` to `9999`. */
export const stepSchema = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'expected the number of a model call: 1, 2, …')
  .transform(Number);

const sentBlockSchema = z.object({
  part: z
    .enum(['system', 'earlier', 'own'])
    .describe(
      '`system`: the system prompt. `earlier`: a message of an earlier turn. `own`: a message of the turn itself.',
    ),
  turnId: z
    .string()
    .nullable()
    .describe('Id of the turn that the message comes from. Null if it comes from none.'),
  step: z
    .number()
    .int()
    .nullable()
    .describe('Number of the first model call that was sent this message. Null unless `part` is `own`.'),
  isLeftOut: z.boolean().describe('True if a placeholder was sent instead of a result that did not fit.'),
  ...block,
});

/**
 * Response to `GET /api/turns/:turnId/prompts/:step`: the messages that a model call was sent, in their order in the
 * prompt.
 */
export const sentPromptResponseSchema = z.object({
  turnId: z.string(),
  step: z.number().int().describe('Number of the model call in its turn: 1, 2, …'),
  isWhole: z.boolean().describe('False if the prompt left out earlier turns.'),
  tokens: z.number().int().describe('Tokens of the whole prompt, without the definitions of tools.'),
  blocks: z.array(sentBlockSchema).describe('The messages of this page, in the order of the prompt.'),
  total: z.number().int().describe('Number of messages of the whole prompt.'),
  nextOffset: nextOffsetSchema,
});
export type SentPromptResponse = z.infer<typeof sentPromptResponseSchema>;
