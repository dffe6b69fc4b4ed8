import { z } from 'zod';
import { idSchema } from '../values/ids.ts';
import { integerText, nextOffsetSchema, offsetText } from './paging.ts';
import { KIB } from '../values/units.ts';

/** The most bytes of UTF-8 that the content of a message may have. */
export const MAX_CONTENT_BYTES = 256 * KIB;

/** Query of `GET /api/chat/messages`, with aliases of field names already replaced. */
export const messageQuerySchema = z.object({
  projectId: idSchema,
  conversationId: idSchema
    .optional()
    .describe('Returns only messages of this conversation. Default: the whole project.'),
  leaf: idSchema
    .optional()
    .describe(
      'Id of a turn. Returns only the branch that ends with this turn, and messages that belong to no turn.',
    ),
  limit: integerText(1, 100, 50),
  offset: offsetText,
});
export type MessageQuery = z.infer<typeof messageQuerySchema>;

/** A stored message as clients see it. */
export const chatMessageSchema = z.object({
  id: z.string().describe('Id of the message.'),
  turnId: z
    .string()
    .nullable()
    .describe('Id of the turn that the message belongs to. Null if it belongs to none.'),
  parentTurnId: z
    .string()
    .nullable()
    .describe('Id of the turn that the turn of this message continues. Null if there is none.'),
  projectId: z.string(),
  conversationId: z.string(),
  sender: z
    .enum(['user', 'orion', 'system'])
    .describe('Who wrote the message: a user, the model, or the system.'),
  content: z.string().describe('Text of the message.'),
  metadata: z
    .record(z.string(), z.unknown())
    .readonly()
    .describe('The `metadata` that the client sent with the message.'),
  createdAt: z.string().describe('When the message was stored, in ISO 8601.'),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** Response to `GET /api/chat/messages`: newest first. */
export const messageListSchema = z.object({
  messages: z.array(chatMessageSchema).describe('The messages of this page, newest first.'),
  total: z.number().int().describe('Number of messages on all pages.'),
  nextOffset: nextOffsetSchema,
});
export type MessageList = z.infer<typeof messageListSchema>;
