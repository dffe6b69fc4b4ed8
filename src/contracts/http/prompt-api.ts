import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText, nextOffsetSchema } from './message-api.ts';

/** A page of the messages of a prompt, and how much of each is shown; `characters` are UTF-16 units. */
const page = {
  limit: integerText(1, 100, 50),
  offset: integerText(0, 999_999_999, 0),
  characters: integerText(1, 16_000, 2_000).describe('Shown of each message.'),
};

/** A message of a prompt as people see it. */
const block = {
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  tokens: z.number().int().describe('Of all of it, estimated by its bytes.'),
  content: z.string().describe('Its beginning without secrets, its tool calls behind it.'),
  /** True when the message is longer than what is shown. */
  isCut: z.boolean(),
};

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
  ...page,
});

const contextBlockSchema = z.object({
  part: z
    .enum(['system', 'earlier', 'next'])
    .describe('The system prompt; a message of an earlier turn; what the next message would begin with.'),
  /** The earlier turn that the message comes from. */
  turnId: z.string().nullable(),
  ...block,
});

/** Answer of `GET /api/conversations/:conversationId/context`: the next prompt, in the order in which it is sent. */
export const contextAnswerSchema = z.object({
  projectId: z.string(),
  conversationId: z.string(),
  /** The turn before the next one; null: no turn has been asked for. */
  leaf: z.string().nullable(),
  anchorTurnId: z
    .string()
    .nullable()
    .describe('The turn with which the prompt begins; null: with none of the earlier ones.'),
  isWhole: z.boolean().describe('False: older turns are left out.'),
  /** Tokens of the whole prompt, without tools. */
  tokens: z.number().int(),
  limit: z
    .number()
    .int()
    .describe('Tokens that a prompt may have: `CONTEXT_TOKENS`, or what the model takes, if that is less.'),
  blocks: z.array(contextBlockSchema),
  /** Number of blocks of the whole prompt. */
  total: z.number().int(),
  nextOffset: nextOffsetSchema,
});
export type ContextAnswer = z.infer<typeof contextAnswerSchema>;

/** Query of `GET /api/turns/:turnId/prompts/:step`. */
export const sentPromptQuerySchema = z.object(page);

/** The number of a model call in its turn: 1, 2, … */
export const stepSchema = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'expected the number of a model call: 1, 2, …')
  .transform(Number);

const sentBlockSchema = z.object({
  part: z
    .enum(['system', 'earlier', 'own'])
    .describe('The system prompt; a message of an earlier turn; one of the turn itself.'),
  /** The turn that the message comes from; null: from none. */
  turnId: z.string().nullable(),
  step: z
    .number()
    .int()
    .nullable()
    .describe('The model call that was the first to be sent it; null: not `own`.'),
  isLeftOut: z.boolean().describe('A line stands for a result that did not fit.'),
  ...block,
});

/** Answer of `GET /api/turns/:turnId/prompts/:step`: what a model call was sent, in that order. */
export const sentPromptAnswerSchema = z.object({
  turnId: z.string(),
  step: z.number().int(),
  isWhole: z.boolean().describe('False: earlier turns were left out.'),
  /** Tokens of the whole prompt, without tools. */
  tokens: z.number().int(),
  blocks: z.array(sentBlockSchema),
  /** Number of blocks of the whole prompt. */
  total: z.number().int(),
  nextOffset: nextOffsetSchema,
});
export type SentPromptAnswer = z.infer<typeof sentPromptAnswerSchema>;
