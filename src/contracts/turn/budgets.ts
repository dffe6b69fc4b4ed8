import { z } from 'zod';

/** One budget: its default and its inclusive bounds (docs/protocol.md "Budgets"). */
const budget = (defaultValue: number, min: number, max: number) =>
  z.number().int().min(min).max(max).default(defaultValue);

/** The most tools that a turn may run in all, whatever its request or a setting asks for. */
export const MAX_PHASE_CYCLES = 50;
/** `maxPhaseCycles` of Orion's own clients: more than the default, so that a turn can do work (docs/http-api.md). */
export const PHASE_CYCLES_FOR_WORK = 25;
/** Largest time budget of a turn in milliseconds, grants included. */
export const MAX_TURN_MS = 3_600_000;
/**
 * The most answers that a turn forces after its time is over: one at once, and one after each later message of its
 * user.
 */
export const MAX_LATE_ANSWERS = 5;

/**
 * Budgets of a turn. A value out of its bounds is refused, never clamped: with a clamped value, a typo would run a turn
 * that nobody asked for.
 */
export const budgetsSchema = z.object({
  maxPhaseCycles: budget(3, 0, MAX_PHASE_CYCLES).describe('Number of tools that the turn may run.'),
  maxDuplicateAttempts: budget(3, 1, 20).describe(
    'Number of refused duplicate calls after which the model must answer without tools.',
  ),
  maxToolsPerToolPhase: z.literal(1).default(1).describe('Always 1: a tool phase runs one tool.'),
  maxMalformedCalls: budget(3, 1, 20).describe(
    'Number of malformed calls after which the model must answer without tools.',
  ),
  maxRefusals: budget(3, 1, 20).describe(
    'Number of calls refused for other reasons after which the model must answer without tools.',
  ),
  maxNoProgress: budget(6, 1, 100).describe(
    'Points for calls that learn nothing new after which the model must answer without tools.',
  ),
  maxTurnMs: budget(600_000, 1, MAX_TURN_MS).describe('The time limit, in milliseconds.'),
  maxTurnTokens: budget(65_536, 1, 200_000).describe('Number of tokens that the model may generate.'),
  debugShowToolResults: z.boolean().default(false).describe('True if events contain the results of tools.'),
});
export type Budgets = z.infer<typeof budgetsSchema>;

/** Sampling temperature of model calls. */
export const temperatureSchema = z
  .number('expected a number')
  .min(0, 'expected 0 to 2')
  .max(2, 'expected 0 to 2');

/** The budgets and all other settings of a protocol's run. */
export const protocolConfigSchema = budgetsSchema.extend({
  toolResultRole: z.enum(['tool', 'system'], 'expected tool or system').default('tool'),
  /** Temperature of every model call of the run. Absent means that of the mode: 0.7 for `plan`, 0.3 for `act`. */
  temperature: temperatureSchema.optional(),
  /** The most tools that the turn may run in all, grants included. */
  maxPhaseCyclesLimit: budget(MAX_PHASE_CYCLES, 0, MAX_PHASE_CYCLES),
  /**
   * The most answers that are forced after the turn's time is over. Absent means one, and one for each later message.
   */
  maxLateAnswers: z.number().int().min(1).optional(),
});
/** Settings of a run as they are given. Absent fields get the defaults of `protocolConfigSchema`. */
export type ProtocolConfig = Readonly<z.input<typeof protocolConfigSchema>>;
/** Settings of a run with the defaults filled in. */
export type ResolvedConfig = z.infer<typeof protocolConfigSchema>;
