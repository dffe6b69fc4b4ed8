import { z } from 'zod';
import { usageSchema } from '../model/model-message.ts';
import { inputRequestedSchema, inputResolvedSchema, steerSchema } from './input-events.ts';
import { toolCallSchema } from '../tools/tool-call.ts';

/** Why a notice of ours is in the text stream (docs/protocol.md "What the model is told"). */
export const noticeSchema = z.enum([
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
]);
export type Notice = z.infer<typeof noticeSchema>;

/** Why a turn ended (docs/protocol.md). */
const doneReasonSchema = z.enum([
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
]);
export type DoneReason = z.infer<typeof doneReasonSchema>;

/** Codes of a turn's `error` event (docs/http-api.md). */
export const turnErrorCodeSchema = z.enum([
  'model_auth',
  'model_rate_limited',
  'model_unavailable',
  'model_context_length',
  'model_bad_request',
  'turn_ended_outside',
  'internal_error',
]);
export type TurnErrorCode = z.infer<typeof turnErrorCodeSchema>;

/** Ids of messages that were accepted, but not read before the turn ended; in terminal events. */
const unapplied = z.array(z.string()).optional();

/** Events of a turn as clients see them; `done` and `error` are terminal. */
export const turnEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('phase'),
    phase: z.enum(['action', 'tool']),
    /** Index of the phase: 0, 1, 2 …, always one more than the phase before. */
    index: z.number().int().nonnegative(),
    /** Number of tools executed so far. */
    cycle: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('chunk'), content: z.string(), notice: noticeSchema.optional() }),
  /** All calls of an answer so far, with arguments as far as they have come: each event replaces the one before. */
  z.object({ type: z.literal('tool_calls'), calls: z.array(toolCallSchema) }),
  z.object({
    type: z.literal('tool_result'),
    callId: z.string(),
    name: z.string(),
    ok: z.boolean(),
    durationMs: z.number(),
    bytes: z.number().int().nonnegative(),
    content: z.string().optional(),
  }),
  z.object({
    type: z.literal('write_session'),
    sessionId: z.string(),
    stage: z.enum(['begun', 'content_complete', 'committed', 'open', 'failed']),
    target: z.string(),
    bytes: z.number().int().nonnegative(),
    lines: z.number().int().nonnegative(),
    sha256: z.string(),
    error: z.string().optional(),
  }),
  inputRequestedSchema,
  inputResolvedSchema,
  steerSchema,
  /** Withdraws every earlier event with seq ≥ fromSeq (docs/events.md). */
  z.object({ type: z.literal('reset'), fromSeq: z.number().int().positive() }),
  z.object({
    type: z.literal('done'),
    fullContent: z.string(),
    status: z.enum(['completed', 'cancelled']),
    reason: doneReasonSchema,
    usage: usageSchema,
    unapplied,
  }),
  z.object({ type: z.literal('error'), code: turnErrorCodeSchema, message: z.string(), unapplied }),
]);
/** One event of a turn (docs/events.md). */
export type TurnEvent = z.infer<typeof turnEventSchema>;
/** The event that ends a turn, after which its list has no other. */
export type TerminalEvent = Extract<TurnEvent, { type: 'done' | 'error' }>;

/** Tells if an event is terminal: exactly one such event ends a turn, and nothing follows it. */
export const isTerminal = (event: TurnEvent): event is TerminalEvent =>
  event.type === 'done' || event.type === 'error';
