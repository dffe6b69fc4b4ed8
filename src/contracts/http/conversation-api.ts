import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText } from './message-api.ts';
import { protocolNameSchema, shownStatusSchema } from '../turn/turn-facts.ts';
import { modeSchema } from '../tools/tool-call.ts';

/** Entries are short (titles are cut, ids bounded), so their number bounds the bytes of an answer. */
const page = { limit: integerText(1, 100, 20), offset: integerText(0, 999_999_999, 0) };

/** Text without characters that move a cursor or end a string. */
const plainText = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected text without control characters');

/** Query of `GET /api/conversations`, with aliases already folded. */
export const conversationQuerySchema = z.object({
  projectId: idSchema,
  search: plainText
    .optional()
    .describe('Only those in whose title, or first words where nobody has given one, this stands.'),
  ...page,
});

/** Query of `GET /api/turns`, with aliases already folded. */
export const turnQuerySchema = z.object({
  projectId: idSchema,
  /** Id of a conversation; absent: the whole project. */
  conversationId: idSchema.optional(),
  ...page,
});

/** First words of a message on one line, at most 60 characters; empty for a text of blanks. */
const titleSchema = z.string();

/** Whole millionths of the currency of the prices. */
const knownCost = z.number().int().nullable();

const conversationCost = knownCost.describe(
  'Of its turns that have ended, and of the summaries of what prompts leave out; null: none is known.',
);

const conversationSchema = z.object({
  conversationId: z.string(),
  /** The title that somebody has given it, else the first words of its first message. */
  title: titleSchema,
  /** The newest turn; null where there are only notes. */
  lastTurn: z.object({ turnId: z.string(), status: shownStatusSchema }).nullable(),
  cost: conversationCost,
  wastedCost: z.number().int().describe('The part of `cost` for attempts of its turns that were repeated.'),
  /** Time of the first message; `updatedAt`: time of the last; ISO 8601. */
  startedAt: z.string(),
  updatedAt: z.string(),
});

/** Answer of `GET /api/conversations`: those with the newest messages first. */
export const conversationListSchema = z.object({
  conversations: z.array(conversationSchema),
  /** True when further ones follow. */
  more: z.boolean(),
});
export type ConversationList = z.infer<typeof conversationListSchema>;

/**
 * Query of the routes of one conversation, with aliases already folded; a field that only one route reads has a
 * default.
 */
export const conversationPageSchema = z.object({
  projectId: idSchema,
  limit: integerText(1, 500, 200),
  offset: integerText(0, 999_999_999, 0),
});

/** Body of `PATCH /api/conversations/:conversationId`. */
export const conversationTitleSchema = z.strictObject({
  title: plainText,
});

/** Answer of `PATCH /api/conversations/:conversationId`. */
export const renamedConversationSchema = z.object({
  projectId: z.string(),
  conversationId: z.string(),
  title: z.string(),
});

const branchedTurnSchema = z.object({
  turnId: z.string(),
  /** Id of the turn that this one goes on from; null: none. */
  parentTurnId: z.string().nullable(),
  status: shownStatusSchema,
  /** First 200 characters of the message that asked for the turn. */
  content: z.string(),
  cost: knownCost.describe('Null while it runs, and where a model call had no price.'),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
});

/** Answer of `GET /api/conversations/:conversationId`: its turns, oldest first. */
export const conversationAnswerSchema = renamedConversationSchema.extend({
  cost: conversationCost,
  turns: z.array(branchedTurnSchema),
  more: z.boolean(),
});
export type ConversationAnswer = z.infer<typeof conversationAnswerSchema>;

const turnSummarySchema = z.object({
  turnId: z.string(),
  conversationId: z.string(),
  /** First words of the message that asked for the turn. */
  title: titleSchema,
  status: shownStatusSchema,
  reason: z.string().nullable(),
  protocol: protocolNameSchema,
  mode: modeSchema,
  model: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
});

/** Answer of `GET /api/turns`: newest first. */
export const turnListSchema = z.object({ turns: z.array(turnSummarySchema), more: z.boolean() });
export type TurnList = z.infer<typeof turnListSchema>;
