import { z } from 'zod';
import { jsonObjectSchema } from '../values/json-value.ts';
import { clientToolsSchema } from '../tools/client-tools.ts';
import { acceptedInputSchema, inputKindSchema } from '../wire/input-events.ts';
import { approvalSettingSchema } from '../inputs/approvals.ts';
import { budgetsSchema } from '../turn/budgets.ts';
import { idSchema } from '../values/ids.ts';
import { costSchema, protocolNameSchema, shownStatusSchema, wasteSchema } from '../turn/turn-facts.ts';
import { usageSchema } from '../model/model-message.ts';
import { modeSchema } from '../tools/tool-call.ts';

/** Data that a client keeps with its message; Orion's own fields are a part of it. */
export type TurnMetadata = z.infer<typeof jsonObjectSchema>;

/** The part of `metadata` that the gateway itself understands; the rest is only stored. */
export const turnOptionsSchema = z.object({
  protocol: protocolNameSchema
    .optional()
    .describe('How model and tools alternate, where the route leaves it open.'),
  maxPhaseCycles: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Tools that the turn may run, up to MAX_PHASE_CYCLES_LIMIT; agents that work ask for 25.'),
  approvals: approvalSettingSchema
    .optional()
    .describe('Before which tools a person is asked; it can only make the gateway’s own setting stricter.'),
  inputs: z
    .array(acceptedInputSchema)
    .max(acceptedInputSchema.options.length)
    .optional()
    .describe('What the client shows beside approvals; the turn asks for nothing else.'),
  model: z.string().optional().describe('One of those that the gateway offers: `GET /api/info`.'),
  writeSession: z
    .literal('client')
    .optional()
    .describe('The client writes the files of write sessions itself.'),
});

/** Format of a stream: named events as they are, or frames as on the routes that take a message. */
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
  parentTurnId: idSchema
    .nullable()
    .optional()
    .describe('The turn that this one goes on from; null: none. Without it the newest of the conversation.'),
  metadata: jsonObjectSchema.default({}),
  tools: clientToolsSchema
    .optional()
    .describe('Tools that run at the client: the turn asks for their results (docs/inputs.md).'),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

/** Answer of `POST /api/turns`: the turn's id, and where to follow it. */
export const turnAcceptedSchema = z.object({
  turnId: z.string(),
  eventsUrl: z.string(),
  statusUrl: z.string(),
});
export type TurnAccepted = z.infer<typeof turnAcceptedSchema>;

/** The input request that a turn waits for; the whole request: `GET /api/turns/:id/inputs/:n`. */
const waitingForSchema = z.object({ inputId: z.string(), kind: inputKindSchema, expiresAt: z.string() });
export type WaitingFor = z.infer<typeof waitingForSchema>;

/** Answer of `GET /api/turns/:id`. Times are ISO 8601. */
export const turnStatusAnswerSchema = z.object({
  turnId: z.string(),
  projectId: z.string(),
  conversationId: z.string(),
  status: shownStatusSchema,
  /** The request that the turn waits for, while it waits. */
  waitingFor: waitingForSchema.optional(),
  reason: z.string().nullable(),
  protocol: protocolNameSchema,
  mode: modeSchema,
  phase: z.number().int(),
  cycle: z.number().int(),
  budgets: budgetsSchema,
  usage: usageSchema.nullable(),
  waste: wasteSchema,
  cost: costSchema
    .nullable()
    .describe('So far, while the turn runs. Null where a model call had no price (`ORION_PRICES_FILE`).'),
  content: z
    .string()
    .nullable()
    .describe(
      'The answer, or as much of it as a running turn holds durably; null where that cannot be asked.',
    ),
  /**
   * The API key that asked for the cancel, `local` where there are none; null: not cancelled, or cancelled from
   * outside.
   */
  cancelledBy: z.string().nullable(),
  /** The turn in the Temporal Web UI; null when its address is not known. */
  temporalUrl: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
});
export type TurnStatusAnswer = z.infer<typeof turnStatusAnswerSchema>;

/** Answer of `POST /api/turns/:id/cancel`. */
export const turnCancelAnswerSchema = z.object({ turnId: z.string(), status: shownStatusSchema });
export type TurnCancelAnswer = z.infer<typeof turnCancelAnswerSchema>;

/** The result of a turn's undo for one file. */
export const undoneFileSchema = z.object({
  /** Path as the turn named it. */
  path: z.string(),
  outcome: z
    .enum(['restored', 'removed', 'unchanged', 'refused'])
    .describe(
      '`restored`: it holds again what it held. `removed`: the turn had made it. `unchanged`: it holds that already, or was taken back before. `refused`: it is as it was before the undo.',
    ),
  /** The reason why the file was left as it is; present only with `refused`. */
  reason: z.string().optional(),
});
export type UndoneFile = z.infer<typeof undoneFileSchema>;

/** Answer of `POST /api/turns/:id/undo`. */
export const turnUndoAnswerSchema = z.object({
  turnId: z.string(),
  files: z.array(undoneFileSchema).describe('All that its tools and write sessions changed.'),
  otherTools: z
    .array(z.string())
    .describe('Other tools that the turn has run, MCP servers and commands: what they changed stays.'),
});
export type TurnUndoAnswer = z.infer<typeof turnUndoAnswerSchema>;
