import { z } from 'zod';
import { usageSchema } from '../model/model-message.ts';
import { inputRequestedSchema, inputResolvedSchema, steerSchema } from './input-events.ts';
import { toolCallSchema } from '../tools/tool-call.ts';

/** Why Orion put a notice into the text stream (docs/protocol.md "What the model is told"). */
export const noticeSchema = z
  .enum([
    'duplicate',
    'duplicate_limit',
    'cycle_limit',
    'malformed',
    'malformed_limit',
    'plan_mode',
    'refusal_limit',
    'no_progress',
    'time_limit',
    'token_limit',
    'cost_limit',
    'model_fallback',
    'tool_result',
    'write_session',
  ])
  .describe('Present if the text is a notice that Orion inserted: why it did.');
export type Notice = z.infer<typeof noticeSchema>;

/** Why a turn ended: with an answer, at a limit (docs/protocol.md "Budgets"), or because it was cancelled. */
const doneReasonSchema = z
  .enum([
    'answered',
    'cycles',
    'duplicates',
    'malformed',
    'refusals',
    'no_progress',
    'repetition',
    'time',
    'tokens',
    'cost',
    'length',
    'cancelled',
  ])
  .describe('Why the turn ended.');
export type DoneReason = z.infer<typeof doneReasonSchema>;

/** Codes of a turn's `error` event (docs/http-api.md). */
export const turnErrorCodeSchema = z
  .enum([
    'model_auth',
    'model_rate_limited',
    'model_unavailable',
    'model_context_length',
    'model_bad_request',
    'turn_ended_outside',
    'internal_error',
  ])
  .describe('Why the turn failed, as a code for programs.');
export type TurnErrorCode = z.infer<typeof turnErrorCodeSchema>;

const unapplied = z
  .array(z.string())
  .optional()
  .describe(
    'Ids of messages into the turn that were accepted, but that the model did not read before the turn ended.',
  );

/** The schema of each kind of event, by its `type`. */
export const TURN_EVENT_SCHEMAS = {
  phase: z.object({
    type: z.literal('phase'),
    phase: z.enum(['action', 'tool']).describe('`action`: the model speaks. `tool`: a tool runs.'),
    index: z
      .number()
      .int()
      .nonnegative()
      .describe('Index of the phase: 0, 1, 2 …, always one more than that of the previous phase.'),
    cycle: z.number().int().nonnegative().describe('Number of tools that have run.'),
  }),
  chunk: z.object({
    type: z.literal('chunk'),
    content: z.string().describe('The next part of the text.'),
    notice: noticeSchema.optional(),
  }),
  tool_calls: z.object({
    type: z.literal('tool_calls'),
    calls: z
      .array(toolCallSchema)
      .describe('All calls of this answer so far. Each event replaces the previous one.'),
  }),
  tool_result: z.object({
    type: z.literal('tool_result'),
    callId: z.string(),
    name: z.string().describe('Name of the tool.'),
    ok: z.boolean().describe('True if the call succeeded.'),
    durationMs: z.number().describe('How long the call took, in milliseconds.'),
    bytes: z.number().int().nonnegative().describe('Size of the result in bytes.'),
    content: z.string().optional().describe('The result. Present only if `debugShowToolResults` is on.'),
  }),
  write_session: z.object({
    type: z.literal('write_session'),
    sessionId: z.string(),
    stage: z
      .enum(['begun', 'content_complete', 'committed', 'open', 'failed'])
      .describe('How far the file has come.'),
    target: z.string().describe('Path of the file, relative to the workspace.'),
    bytes: z.number().int().nonnegative().describe('Bytes of the content so far.'),
    lines: z.number().int().nonnegative().describe('Lines of the content so far.'),
    sha256: z.string().describe('SHA-256 of the content so far, in hexadecimal.'),
    error: z.string().optional().describe('What failed. Present only with `failed`.'),
  }),
  input_requested: inputRequestedSchema,
  input_resolved: inputResolvedSchema,
  steer: steerSchema,
  reset: z.object({
    type: z.literal('reset'),
    fromSeq: z
      .number()
      .int()
      .positive()
      .describe('Withdraws every earlier event whose seq (the part of its id after `-`) is this or greater.'),
  }),
  done: z.object({
    type: z.literal('done'),
    fullContent: z.string().describe('The whole text of the model: all chunks but notices.'),
    status: z.enum(['completed', 'cancelled']).describe('How the turn ended.'),
    reason: doneReasonSchema,
    usage: usageSchema.describe('Tokens of all model calls of the turn.'),
    unapplied,
  }),
  error: z.object({
    type: z.literal('error'),
    code: turnErrorCodeSchema,
    message: z.string().describe('Why the turn failed, as a sentence for people.'),
    unapplied,
  }),
};

/** Events of a turn as clients see them; `done` and `error` are terminal. */
export const turnEventSchema = z.discriminatedUnion('type', [
  TURN_EVENT_SCHEMAS.phase,
  TURN_EVENT_SCHEMAS.chunk,
  TURN_EVENT_SCHEMAS.tool_calls,
  TURN_EVENT_SCHEMAS.tool_result,
  TURN_EVENT_SCHEMAS.write_session,
  TURN_EVENT_SCHEMAS.input_requested,
  TURN_EVENT_SCHEMAS.input_resolved,
  TURN_EVENT_SCHEMAS.steer,
  TURN_EVENT_SCHEMAS.reset,
  TURN_EVENT_SCHEMAS.done,
  TURN_EVENT_SCHEMAS.error,
]);
/** One event of a turn (docs/events.md). */
export type TurnEvent = z.infer<typeof turnEventSchema>;
/** The event that ends a turn. It is the last event of the list. */
export type TerminalEvent = Extract<TurnEvent, { type: 'done' | 'error' }>;

/** Reports whether an event ends its turn. Every turn has exactly one such event, its last. */
export const isTerminal = (event: TurnEvent): event is TerminalEvent =>
  event.type === 'done' || event.type === 'error';
