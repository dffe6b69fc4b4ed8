import { z } from 'zod';
import { idSchema } from '../values/ids.ts';

/** An integer of a query string, within its bounds; `fallback` where it is missing. */
export const integerText = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `expected an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected an integer from ${min} to ${max}`)
    .default(fallback);

/** Bytes of UTF-8 that the content of a message may have. */
export const MAX_CONTENT_BYTES = 256 * 1024;

/** Query of `GET /api/chat/messages`, with aliases already folded. */
export const messageQuerySchema = z.object({
  projectId: idSchema,
  /** Id of a conversation; absent: the whole project. */
  conversationId: idSchema.optional(),
  leaf: idSchema
    .optional()
    .describe('A turn: only the branch that ends with it, beside what belongs to no turn.'),
  limit: integerText(1, 100, 50),
  offset: integerText(0, 999_999_999, 0),
});
export type MessageQuery = z.infer<typeof messageQuerySchema>;

/** A stored message as clients see it. */
export const chatMessageSchema = z.object({
  id: z.string(),
  /** Id of the message's turn; null: it belongs to none. */
  turnId: z.string().nullable(),
  /** The turn that the message's own turn goes on from; null: from none, or the message belongs to no turn. */
  parentTurnId: z.string().nullable(),
  projectId: z.string(),
  conversationId: z.string(),
  sender: z.enum(['user', 'orion', 'system']),
  content: z.string(),
  metadata: z.record(z.string(), z.unknown()).readonly(),
  /** ISO 8601. */
  createdAt: z.string(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** `offset` of the next page: a page may hold less than `limit` where its text is long. Null on the last one. */
export const nextOffsetSchema = z.number().int().nullable();

/** Answer of `GET /api/chat/messages`: newest first. */
export const messageListSchema = z.object({
  messages: z.array(chatMessageSchema),
  total: z.number().int(),
  nextOffset: nextOffsetSchema,
});
export type MessageList = z.infer<typeof messageListSchema>;
