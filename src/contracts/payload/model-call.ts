import { z } from 'zod';
import { eventBatchSchema, eventIdSchema } from '../wire/event-batch.ts';
import { modelMessageSchema, usageSchema } from '../model-message.ts';
import { modeSchema, toolCallSchema, toolDeclarationSchema } from '../tool-call.ts';
import { carriedTracesSchema } from '../trace-event.ts';
import { doneReasonSchema, turnErrorCodeSchema } from '../wire/turn-event.ts';

/** What every activity of a turn carries: who asks, and the fence against reset runs (docs/turns.md). */
export const turnRefSchema = z.object({
  turnId: z.string(),
  projectId: z.string(),
  conversationId: z.string(),
  /** First run of the workflow: an activity of any other run must not act. */
  firstExecutionRunId: z.string(),
  /** Base URL of the gateway that reads the live lane, absent when the lane is off. */
  liveLane: z.string().optional(),
  /** Events of the workflow that the lane has not seen yet. */
  prelude: z.array(eventBatchSchema),
  /** Absent in activities of workflows that were begun before there were traces. */
  traces: carriedTracesSchema.optional(),
});
export type TurnRef = z.infer<typeof turnRefSchema>;

/** How the stream of one model call is read (docs/protocol.md "Ports"). */
export const streamOptionsSchema = z.object({
  stopAt: z.enum(['first-complete-call', 'end']),
  /** Put before the first text of this call, so that two answers are not glued together. */
  lead: z.string(),
  /** Milliseconds since the epoch at which reading stops and what was said stands. */
  deadline: z.number(),
  /** Output tokens this call may still stream. */
  tokenBudget: z.number(),
  /** Offer the tools of this mode to the model. */
  tools: z.boolean(),
  temperature: z.number(),
  maxTokens: z.number().int(),
  /** The text is the content of this write session: it may repeat itself, and it keeps the session alive. */
  writeSession: z.object({ sessionId: z.string() }).optional(),
});
export type StreamOptions = z.infer<typeof streamOptionsSchema>;

export const callModelInputSchema = turnRefSchema.extend({
  /** 1, 2, …: number of this model call in the turn. */
  step: z.number().int().positive(),
  /** First seq of this step; every attempt begins here. */
  fromSeq: z.number().int().positive(),
  /** Id of the stored event that the step's first event follows. */
  after: eventIdSchema.nullable(),
  mode: modeSchema,
  model: z.string(),
  /** Messages that are new since the last call; the activity adds system prompt and history. */
  messages: z.array(modelMessageSchema),
  /** Steps whose messages the model is not sent again: a line stands for what they held. */
  withdrawn: z.array(z.number().int().positive()).optional(),
  /** Milliseconds of silence after which a write session of this turn expires; absent: the default. */
  sessionInactivityMs: z.number().int().positive().optional(),
  options: streamOptionsSchema,
});
export type CallModelInput = z.infer<typeof callModelInputSchema>;

/** How a model call ended, once its stream was read as far as wanted. */
export const modelEndSchema = z.enum([
  'stop',
  'tool_calls',
  'length',
  'content_filter',
  'time',
  'tokens',
  'repetition',
  'cancelled',
]);
export type ModelEnd = z.infer<typeof modelEndSchema>;

export const callModelResultSchema = z.object({
  outcome: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('ended'),
      end: modelEndSchema,
      /** All calls of the answer, merged; empty when it had none. */
      calls: z.array(toolCallSchema),
      /** Declarations of the tools that were called, by the name the model used; unknown names are absent. */
      declarations: z.record(z.string(), toolDeclarationSchema),
      usage: usageSchema,
    }),
    /** The provider refused or failed for good: the turn ends with this error. */
    z.object({ kind: z.literal('failed'), code: turnErrorCodeSchema, message: z.string() }),
  ]),
  /** Events not yet sent by signal (≤ 512 KiB), so that no last signal can be lost. */
  tail: z.array(eventBatchSchema),
});
export type CallModelResult = z.infer<typeof callModelResultSchema>;

/** The session that a call begins: drawn by the workflow, so that a repeated call is the same begin. */
export const sessionToBeginSchema = z.object({
  sessionId: z.string(),
  /** Milliseconds of silence after which it expires; absent: the default. */
  inactivityMs: z.number().int().positive().optional(),
  /** A session that this turn has left open: it gives way. */
  replaces: z.string().optional(),
});
export type SessionToBegin = z.infer<typeof sessionToBeginSchema>;

export const executeToolInputSchema = turnRefSchema.extend({
  mode: modeSchema,
  call: toolCallSchema,
  /** Ledger key together with turnId: providers reuse call ids. */
  phaseIndex: z.number().int().nonnegative(),
  position: z.number().int().nonnegative(),
  /** Milliseconds to wait first: unchanged polls are spaced. */
  delayMs: z.number().int().nonnegative(),
  /** For a call that begins a write session. */
  writeSession: sessionToBeginSchema.optional(),
});
export type ExecuteToolInput = z.infer<typeof executeToolInputSchema>;

export const turnStatusSchema = z.enum(['running', 'completed', 'cancelled', 'failed']);
export type TurnStatus = z.infer<typeof turnStatusSchema>;

export const wasteSchema = z.object({
  duplicatesRefused: z.number().int(),
  retriedTokens: z.number().int(),
  discardedCharacters: z.number().int(),
});
export type Waste = z.infer<typeof wasteSchema>;

/** Characters of a reply that were a file, and the line that stands for them in later prompts. */
export const replacedTextSchema = z.object({
  from: z.number().int().nonnegative(),
  /** Exclusive. */
  to: z.number().int().nonnegative(),
  line: z.string(),
});
export type ReplacedText = z.infer<typeof replacedTextSchema>;

/** The terminal event without the text: `closeTurn` joins it from the stored segments. */
export const closeTurnInputSchema = turnRefSchema.extend({
  /** The workflow's own events, which stand in no segment yet. */
  ownEvents: z.array(eventBatchSchema),
  terminalId: eventIdSchema,
  terminalAfter: eventIdSchema.nullable(),
  terminal: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('done'),
      status: z.enum(['completed', 'cancelled']),
      reason: doneReasonSchema,
      usage: usageSchema,
    }),
    z.object({ type: z.literal('error'), code: turnErrorCodeSchema, message: z.string() }),
  ]),
  usage: usageSchema,
  phase: z.number().int(),
  cycle: z.number().int(),
  waste: wasteSchema,
  /** Characters of the answer that were files, and the lines that stand for them in later prompts. */
  writeSessions: z.array(replacedTextSchema).optional(),
});
export type CloseTurnInput = z.infer<typeof closeTurnInputSchema>;
