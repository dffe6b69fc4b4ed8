import { z } from 'zod';
import { jsonValueSchema } from '../json-value.ts';
import { budgetsSchema } from '../budgets.ts';
import { idSchema } from '../ids.ts';
import { protocolNameSchema, turnStatusSchema, wasteSchema } from '../turn.ts';
import { usageSchema } from '../model-message.ts';
import { modeSchema } from '../tool-call.ts';

/** Nesting of `metadata`: deeper values would exhaust the stack of whoever walks them. */
const METADATA_DEPTH = 16;

const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
};

const metadataSchema = z
  .unknown()
  .refine((value) => isShallow(value, METADATA_DEPTH), `expected at most ${METADATA_DEPTH} levels`)
  .pipe(z.record(z.string(), jsonValueSchema));
export type Metadata = z.infer<typeof metadataSchema>;

/** The part of `metadata` that the gateway itself understands; the rest is only stored. */
export const turnWishesSchema = z.object({
  protocol: protocolNameSchema
    .optional()
    .describe('How model and tools alternate, where the route leaves it open.'),
  maxPhaseCycles: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Tools that the turn may run, up to MAX_PHASE_CYCLES_LIMIT; agents that work ask for 25.'),
  model: z.string().optional().describe('One of those that the gateway offers: `GET /api/info`.'),
  writeSession: z
    .literal('client')
    .optional()
    .describe('The client writes the files of write sessions itself.'),
});

/** In which form events are streamed: named and as they are, or as the routes that take a message stream them. */
const streamFormatSchema = z.enum(['native', 'compatible']);
export type StreamFormat = z.infer<typeof streamFormatSchema>;

/** Query of `GET /api/turns/:id/events`, beside the id to resume after. */
export const eventsQuerySchema = z.object({ format: streamFormatSchema.default('native') });

/** Body of every route that takes a message (docs/http-api.md), with aliases already folded. */
export const messageBodySchema = z.object({
  projectId: idSchema,
  content: z.string().refine((content) => content.trim() !== '', 'expected text that is not blank'),
  mode: modeSchema.default('act'),
  conversationId: idSchema.default('main'),
  /** `orion` and `system` are stored without a model call. */
  sender: z.enum(['user', 'orion', 'system']).default('user'),
  requestId: idSchema.optional(),
  metadata: metadataSchema.default({}),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

/** Answer of `POST /api/turns`. */
export const turnAcceptedSchema = z.object({
  turnId: z.string(),
  eventsUrl: z.string(),
  statusUrl: z.string(),
});
export type TurnAccepted = z.infer<typeof turnAcceptedSchema>;

/** Answer of `GET /api/turns/:id`. Times are ISO 8601. */
export const turnStatusAnswerSchema = z.object({
  turnId: z.string(),
  projectId: z.string(),
  conversationId: z.string(),
  status: turnStatusSchema,
  reason: z.string().nullable(),
  protocol: protocolNameSchema,
  mode: modeSchema,
  phase: z.number().int(),
  cycle: z.number().int(),
  budgets: budgetsSchema,
  usage: usageSchema.nullable(),
  waste: wasteSchema,
  content: z
    .string()
    .nullable()
    .describe(
      'The answer, or as much of it as a running turn holds durably; null where that cannot be asked.',
    ),
  /** Of a cancelled turn: the API key that asked for it, `local` where none are; null: from outside the gateway. */
  cancelledBy: z.string().nullable(),
  /** The turn in the Temporal Web UI; null when its address is not known. */
  temporalUrl: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
});
export type TurnStatusAnswer = z.infer<typeof turnStatusAnswerSchema>;

/** Answer of `POST /api/turns/:id/cancel`. */
export const turnCancelAnswerSchema = z.object({ turnId: z.string(), status: turnStatusSchema });
export type TurnCancelAnswer = z.infer<typeof turnCancelAnswerSchema>;
