import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText, nextOffsetSchema } from './message-api.ts';
import { protocolNameSchema, shownStatusSchema } from '../turn/turn-facts.ts';
import { modeSchema } from '../tools/tool-call.ts';

/** Entries are short (titles are cut, ids bounded), so the number of them bounds the bytes of an answer. */
const page = { limit: integerText(1, 100, 20), offset: integerText(0, 999_999_999, 0) };

/** Text in which nothing moves a cursor or ends a string. */
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
  /** The title that somebody has given, else the first words of its first message. */
  title: titleSchema,
  /** The newest turn; null where there are only notes. */
  lastTurn: z.object({ turnId: z.string(), status: shownStatusSchema }).nullable(),
  cost: conversationCost,
  /** Time of the first message, and `updatedAt` that of the last, ISO 8601. */
  startedAt: z.string(),
  updatedAt: z.string(),
});

/** Answer of `GET /api/conversations`: those spoken in last come first. */
export const conversationListSchema = z.object({
  conversations: z.array(conversationSchema),
  /** There are further ones after these. */
  more: z.boolean(),
});
export type ConversationList = z.infer<typeof conversationListSchema>;

/** Query of the routes of one conversation, with aliases already folded; what only one of them reads has a default. */
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
  /** First 200 characters of the message that asked for it. */
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

/** Query of `GET /api/conversations/:conversationId/context`, with aliases already folded. */
export const contextQuerySchema = z.object({
  projectId: idSchema,
  leaf: idSchema.optional().describe('The turn that the next one would go on from. Absent: the newest.'),
  model: z
    .string()
    .optional()
    .describe(
      'The model that it would ask, whose window bounds it. Absent: the one that answers by default.',
    ),
  limit: integerText(1, 100, 50),
  offset: integerText(0, 999_999_999, 0),
});

const contextBlockSchema = z.object({
  part: z
    .enum(['system', 'earlier', 'next'])
    .describe('The system prompt; a message of an earlier turn; what the next message would begin with.'),
  /** The earlier turn that it comes from. */
  turnId: z.string().nullable(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  tokens: z.number().int().describe('Of all of it, estimated by its bytes.'),
  content: z.string().describe('Without secrets, its tool calls behind it; first 2000 characters.'),
  /** There is more of it than is shown. */
  isCut: z.boolean(),
});

/** Answer of `GET /api/conversations/:conversationId/context`: the next prompt, in the order in which it is sent. */
export const contextAnswerSchema = z.object({
  projectId: z.string(),
  conversationId: z.string(),
  /** Null: no turn has been asked for. */
  leaf: z.string().nullable(),
  anchorTurnId: z
    .string()
    .nullable()
    .describe('The turn with which the prompt begins; null: with none of the earlier ones.'),
  isWhole: z.boolean().describe('False: older turns are left out.'),
  /** Of the whole prompt, without tools. */
  tokens: z.number().int(),
  limit: z
    .number()
    .int()
    .describe('Tokens that a prompt may have: `CONTEXT_TOKENS`, or what the model takes, if that is less.'),
  blocks: z.array(contextBlockSchema),
  /** Blocks of the whole prompt. */
  total: z.number().int(),
  nextOffset: nextOffsetSchema,
});
export type ContextAnswer = z.infer<typeof contextAnswerSchema>;

const turnSummarySchema = z.object({
  turnId: z.string(),
  conversationId: z.string(),
  /** First words of the message that asked for it. */
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
