import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText, offsetText } from './paging.ts';
import { protocolNameSchema, shownStatusSchema } from '../turn/turn-facts.ts';
import { modeSchema } from '../tools/tool-call.ts';

/** Entries are short (titles are cut, ids bounded), so their number bounds the bytes of a response. */
const page = { limit: integerText(1, 100, 20), offset: offsetText };

/**
 * A title or a search text: 1 to 200 characters after blanks around it are removed. Control characters are refused,
 * because they could move the cursor of a terminal or end a string.
 */
const plainText = z
  .string()
  .trim()
  .min(1, 'expected 1 to 200 characters')
  .max(200, 'expected 1 to 200 characters')
  .regex(/^\P{Cc}*$/u, 'expected text without control characters');

/** Query of `GET /api/conversations`, with aliases of field names already replaced. */
export const conversationQuerySchema = z.object({
  projectId: idSchema,
  search: plainText
    .optional()
    .describe(
      'Returns only conversations whose title contains this text. A conversation without a title is searched by the first words of its first message.',
    ),
  ...page,
});

/** Query of `GET /api/turns`, with aliases of field names already replaced. */
export const turnQuerySchema = z.object({
  projectId: idSchema,
  conversationId: idSchema
    .optional()
    .describe('Returns only turns of this conversation. Default: the whole project.'),
  ...page,
});

/**
 * A title on one line. It has at most 60 characters if it was made from the first words of a message, and is empty if
 * that message is blank. A title that somebody gave has at most 200.
 */
const titleSchema = z.string();

const hasMore = z.boolean().describe('True if more entries follow.');

/** A cost in whole millionths of the currency of the prices. Null means that it is not known. */
const knownCost = z.number().int().nullable();

const conversationCost = knownCost.describe(
  'Cost of the turns that have ended and of the summaries, in whole millionths of the currency. Null if no cost is known.',
);

const conversationSchema = z.object({
  conversationId: z.string(),
  title: titleSchema.describe(
    'The title that somebody gave the conversation, otherwise the first words of its first message.',
  ),
  lastTurn: z
    .object({ turnId: z.string(), status: shownStatusSchema })
    .nullable()
    .describe('The newest turn. Null if the conversation contains only notes.'),
  cost: conversationCost,
  wastedCost: z.number().int().describe('The part of `cost` that repeated attempts of model calls caused.'),
  startedAt: z.string().describe('Time of the first message, in ISO 8601.'),
  updatedAt: z.string().describe('Time of the last message, in ISO 8601.'),
});

/** Response to `GET /api/conversations`: the conversations with the newest messages come first. */
export const conversationListSchema = z.object({
  conversations: z.array(conversationSchema).describe('The conversations of this page.'),
  more: hasMore,
});
export type ConversationList = z.infer<typeof conversationListSchema>;

/**
 * Query of the routes of one conversation, with aliases of field names already replaced. Only the list of turns reads
 * `limit` and `offset`; the other routes ignore both.
 */
export const conversationPageSchema = z.object({
  projectId: idSchema,
  limit: integerText(1, 500, 200),
  offset: offsetText,
});

/** Body of `PATCH /api/conversations/:conversationId`. */
export const conversationTitleSchema = z.strictObject({
  title: plainText.describe('The new title.'),
});

/** Response to `PATCH /api/conversations/:conversationId`. */
export const renamedConversationSchema = z.object({
  projectId: z.string(),
  conversationId: z.string(),
  title: z.string().describe('The title of the conversation.'),
});

const branchedTurnSchema = z.object({
  turnId: z.string(),
  parentTurnId: z
    .string()
    .nullable()
    .describe('Id of the turn that this turn continues. Null if it continues none.'),
  status: shownStatusSchema,
  content: z.string().describe('The first 200 characters of the message that started the turn.'),
  cost: knownCost.describe(
    'Cost of the turn in whole millionths of the currency. Null while the turn runs, and if a model call had no price.',
  ),
  startedAt: z.string().describe('When the turn started, in ISO 8601.'),
  endedAt: z.string().nullable().describe('When the turn ended, in ISO 8601. Null while it runs.'),
});

/** Response to `GET /api/conversations/:conversationId`: its turns, oldest first. */
export const conversationResponseSchema = renamedConversationSchema.extend({
  cost: conversationCost,
  turns: z.array(branchedTurnSchema).describe('The turns of this page, oldest first.'),
  more: hasMore,
});
export type ConversationResponse = z.infer<typeof conversationResponseSchema>;

const turnSummarySchema = z.object({
  turnId: z.string(),
  conversationId: z.string(),
  title: titleSchema.describe('The first words of the message that started the turn.'),
  status: shownStatusSchema,
  reason: z
    .string()
    .nullable()
    .describe(
      'Why the turn ended: the `reason` of its `done` event or the `code` of its error. Null while it runs.',
    ),
  protocol: protocolNameSchema,
  mode: modeSchema,
  model: z.string().describe('The model that the turn started with.'),
  startedAt: z.string().describe('When the turn started, in ISO 8601.'),
  endedAt: z.string().nullable().describe('When the turn ended, in ISO 8601. Null while it runs.'),
});

/** Response to `GET /api/turns`: the newest turns come first. */
export const turnListSchema = z.object({
  turns: z.array(turnSummarySchema).describe('The turns of this page.'),
  more: hasMore,
});
export type TurnList = z.infer<typeof turnListSchema>;
