import { z } from 'zod';
import { jsonObjectSchema } from '../values/json-value.ts';
import { clientToolsSchema } from '../tools/client-tools.ts';
import { acceptedInputKindSchema } from '../wire/input-events.ts';
import { approvalSettingSchema } from '../inputs/approvals.ts';
import { waitingForSchema } from '../inputs/waiting-for.ts';
import { budgetsSchema } from '../turn/budgets.ts';
import { idSchema } from '../values/ids.ts';
import { costSchema, protocolNameSchema, shownStatusSchema, wasteSchema } from '../turn/turn-facts.ts';
import { usageSchema } from '../model/model-message.ts';
import { modeSchema } from '../tools/tool-call.ts';

/** Data that a client stores with its message. Some of its fields are options of the turn (`turnOptionsSchema`). */
export type TurnMetadata = z.infer<typeof jsonObjectSchema>;

/** The part of `metadata` that the gateway itself understands; the rest is only stored. */
export const turnOptionsSchema = z.object({
  protocol: protocolNameSchema
    .optional()
    .describe('How model and tools alternate. Only routes that do not name a protocol read it.'),
  maxPhaseCycles: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe(
      'Number of tools that the turn may run, up to `MAX_PHASE_CYCLES_LIMIT`. The default is enough to look something up; for work, ask for 25.',
    ),
  approvals: approvalSettingSchema
    .optional()
    .describe(
      'The tool calls for which a person is asked. It can only make the setting of the gateway stricter.',
    ),
  inputs: z
    .array(acceptedInputKindSchema)
    .max(acceptedInputKindSchema.options.length)
    .optional()
    .describe(
      'The kinds of input requests that the client can show in addition to approvals. The turn makes no other requests.',
    ),
  model: z
    .string()
    .optional()
    .describe('Model to use, one of `models` in `GET /api/info`. Default: the model of the gateway.'),
  writeSession: z
    .literal('client')
    .optional()
    .describe('With `client`, the client writes the files of write sessions itself.'),
});

/**
 * The format of a stream of events: `native` has named events, and `compatible` the frames that the chat routes send.
 */
const streamFormatSchema = z.enum(['native', 'compatible']);
export type StreamFormat = z.infer<typeof streamFormatSchema>;

/** Query of `GET /api/turns/:id/events`, except the id to resume after, which may also come in a header. */
export const eventsQuerySchema = z.object({
  format: streamFormatSchema
    .default('native')
    .describe(
      'The form of the stream. `native`: named events. `compatible`: frames without names, as `POST /api/chat/messages` sends them.',
    ),
});

/** Body of every route that takes a message (docs/http-api.md), with aliases of field names already replaced. */
export const messageBodySchema = z.object({
  projectId: idSchema,
  content: z
    .string()
    .refine((content) => content.trim() !== '', 'expected text that is not blank')
    .describe('Text of the message.'),
  mode: modeSchema.default('act'),
  conversationId: idSchema
    .default('main')
    .describe('The conversation that the message belongs to. Default: `main`.'),
  sender: z
    .enum(['user', 'orion', 'system'])
    .default('user')
    .describe('Who wrote the message. Only messages of `user` start a turn; the others are only stored.'),
  requestId: idSchema
    .optional()
    .describe(
      'Your id for the turn. Sending the same id and body again attaches to the existing turn. If you omit it, the gateway generates one.',
    ),
  parentTurnId: idSchema
    .nullable()
    .optional()
    .describe(
      'Id of the turn that this one continues. Null: it continues none. Default: the newest turn of the conversation.',
    ),
  metadata: jsonObjectSchema
    .default({})
    .describe('Data that is stored with the message. Some of its fields are options of the turn.'),
  tools: clientToolsSchema
    .optional()
    .describe(
      'Tools that run at the client. The turn asks for their results with input requests of the kind `client_tool`.',
    ),
});
export type MessageBody = z.infer<typeof messageBodySchema>;

/** Response to `POST /api/turns`: the turn's id, and where to follow it. */
export const turnAcceptedSchema = z.object({
  turnId: z.string(),
  eventsUrl: z.string().describe('Path of the stream of events.'),
  statusUrl: z.string().describe('Path of the state of the turn.'),
});
export type TurnAccepted = z.infer<typeof turnAcceptedSchema>;

/** Response to `GET /api/turns/:id`: the state of a turn, whether it runs or has ended. */
export const turnStatusResponseSchema = z.object({
  turnId: z.string(),
  projectId: z.string(),
  conversationId: z.string(),
  status: shownStatusSchema,
  waitingFor: waitingForSchema
    .optional()
    .describe('The input request that the turn waits for. Present only while it waits.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why the turn ended: the `reason` of its `done` event or the `code` of its error. Null while it runs.',
    ),
  protocol: protocolNameSchema,
  mode: modeSchema,
  phase: z.number().int().describe('Index of the latest phase: 0, 1, 2 …'),
  cycle: z.number().int().describe('Number of tools that have run.'),
  budgets: budgetsSchema.describe('The limits of the turn.'),
  usage: usageSchema.nullable().describe('Tokens of all model calls of the turn. Null if none is known.'),
  waste: wasteSchema.describe('Work of the turn that was in vain.'),
  cost: costSchema
    .nullable()
    .describe('Cost of the turn so far, or in total once it has ended. Null if a model call had no price.'),
  content: z
    .string()
    .nullable()
    .describe(
      'The answer. While the turn runs, the part of it that is stored durably. Null if that cannot be determined at the moment.',
    ),
  cancelledBy: z
    .string()
    .nullable()
    .describe(
      'Name of the API key that cancelled the turn, or `local` if the gateway requires none. Null if the turn was not cancelled, or not through this API.',
    ),
  temporalUrl: z
    .string()
    .nullable()
    .describe('Address of the turn in the Temporal Web UI. Null if it is not known.'),
  startedAt: z.string().describe('When the turn started, in ISO 8601.'),
  endedAt: z.string().nullable().describe('When the turn ended, in ISO 8601. Null while it runs.'),
});
export type TurnStatusResponse = z.infer<typeof turnStatusResponseSchema>;

/** Response to `POST /api/turns/:id/cancel`. */
export const turnCancelResponseSchema = z.object({ turnId: z.string(), status: shownStatusSchema });
export type TurnCancelResponse = z.infer<typeof turnCancelResponseSchema>;

/** The result of a turn's undo for one file. */
export const undoneFileSchema = z.object({
  path: z.string().describe('Path of the file, as the turn named it.'),
  outcome: z
    .enum(['restored', 'removed', 'unchanged', 'refused'])
    .describe(
      '`restored`: the earlier content is back. `removed`: the turn had created the file, so it was deleted. `unchanged`: the file already has its earlier content. `refused`: the file was left as it is; `reason` says why.',
    ),
  reason: z.string().optional().describe('Why the file was left as it is. Present only with `refused`.'),
});
export type UndoneFile = z.infer<typeof undoneFileSchema>;

/** Response to `POST /api/turns/:id/undo`. */
export const turnUndoResponseSchema = z.object({
  turnId: z.string(),
  files: z.array(undoneFileSchema).describe('The files that tools and write sessions of the turn changed.'),
  otherTools: z
    .array(z.string())
    .describe(
      'Names of the other tools that the turn ran, such as commands and tools of MCP servers. Their changes stay.',
    ),
});
export type TurnUndoResponse = z.infer<typeof turnUndoResponseSchema>;
