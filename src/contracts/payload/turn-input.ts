import { z } from 'zod';
import { budgetsSchema, temperatureSchema } from '../budgets.ts';
import { idSchema } from '../ids.ts';
import { modeSchema } from '../tool-call.ts';

export const protocolNameSchema = z.enum(['two_stage', 'standard']);
export type ProtocolName = z.infer<typeof protocolNameSchema>;

/**
 * Input of `turnWorkflow` and the `start_input` column of its row: all that is needed to start the turn again
 * after any crash. Holds no system prompt, no earlier message and no secret (docs/turns.md "turnWorkflow").
 */
export const turnInputSchema = z.object({
  /** Shape of the protocol core this turn was started with; port-call order may branch on it. */
  revision: z.literal(1),
  turnId: idSchema,
  projectId: idSchema,
  conversationId: idSchema,
  content: z.string(),
  mode: modeSchema,
  protocol: protocolNameSchema,
  model: z.string(),
  toolResultRole: z.enum(['tool', 'system']),
  budgets: budgetsSchema,
  /** That of the project in this mode; absent: the default of the mode. */
  temperature: temperatureSchema.optional(),
  liveLane: z.string().optional(),
  /** Milliseconds without a heartbeat after which an activity counts as lost. */
  heartbeatTimeoutMs: z.number().int().positive(),
  /** `client`: the client finalizes write sessions itself; the turn waits for it first (docs/write-sessions.md). */
  writeSession: z.literal('client').optional(),
  /** Milliseconds of silence after which a write session of this turn expires; absent: the default. */
  sessionInactivityMs: z.number().int().positive().optional(),
  /** The namespace has Orion's search attributes. */
  searchAttributes: z.boolean(),
});
export type TurnInput = z.infer<typeof turnInputSchema>;
