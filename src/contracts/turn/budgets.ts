import { z } from 'zod';

/** One budget: its default and its inclusive bounds (docs/protocol.md "Budgets"). */
const budget = (defaultValue: number, min: number, max: number) =>
  z.number().int().min(min).max(max).default(defaultValue);

/** Tools that a turn may run in all, whatever its request or a setting asks for. */
export const MAX_PHASE_CYCLES = 50;
/** Milliseconds that a turn may work at most, whatever it is granted. */
export const MAX_TURN_MS = 3_600_000;
/** Number of answers that a turn forces after its time is over: one, and one for each message that comes after that. */
export const MAX_LATE_ANSWERS = 5;

/**
 * Budgets of a turn. A value out of its bounds is refused, never clamped. With clamped budgets a typo would run a turn
 * that nobody asked for.
 */
export const budgetsSchema = z.object({
  maxPhaseCycles: budget(3, 0, MAX_PHASE_CYCLES),
  maxDuplicateAttempts: budget(3, 1, 20),
  maxToolsPerToolPhase: z.literal(1).default(1),
  maxMalformedCalls: budget(3, 1, 20),
  maxRefusals: budget(3, 1, 20),
  maxNoProgress: budget(6, 1, 100),
  /** The time limit in milliseconds. */
  maxTurnMs: budget(600_000, 1, MAX_TURN_MS),
  /** Streamed output tokens. */
  maxTurnTokens: budget(65_536, 1, 200_000),
  debugShowToolResults: z.boolean().default(false),
});
export type Budgets = z.infer<typeof budgetsSchema>;

/** Sampling temperature of model calls. */
export const temperatureSchema = z
  .number('expected a number')
  .min(0, 'expected 0 to 2')
  .max(2, 'expected 0 to 2');

/** Budgets and the other settings of a run of a protocol. */
export const runSettingsSchema = budgetsSchema.extend({
  toolResultRole: z.enum(['tool', 'system'], 'expected tool or system').default('tool'),
  temperature: temperatureSchema.optional(),
  /** Number of tools that the turn may run in all, whatever it is granted. */
  maxPhaseCyclesLimit: budget(MAX_PHASE_CYCLES, 0, MAX_PHASE_CYCLES),
  /** Number of answers that are forced after the turn's time is over. Absent means as many as there are messages. */
  maxLateAnswers: z.number().int().min(1).optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;
