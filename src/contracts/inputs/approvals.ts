import { z } from 'zod';

/**
 * The calls that need a person when no rule matches: no calls, calls of tools that may change something, or all calls.
 */
export const approvalSettingSchema = z.enum(['never', 'writes', 'all']);
export type ApprovalSetting = z.infer<typeof approvalSettingSchema>;

/** The decision about a tool call before it runs: it is allowed, a person is asked, or it is denied. */
export const approvalModeSchema = z.enum(['allow', 'ask', 'deny']);
export type ApprovalMode = z.infer<typeof approvalModeSchema>;

/**
 * Longest pattern of a rule, in characters. Matching takes up to one step per character of the pattern for each
 * character of the text.
 */
const MAX_GLOB_CHARACTERS = 256;

const globSchema = z
  .string()
  .min(1, 'expected a pattern')
  .max(MAX_GLOB_CHARACTERS, `expected at most ${MAX_GLOB_CHARACTERS} characters`);

/**
 * A rule of the policy. It applies to the calls whose tool has a registered name that matches `tool`, and whose
 * arguments match every pattern in `arguments`. An argument that a call does not have matches no pattern.
 */
export const approvalRuleSchema = z.strictObject({
  tool: globSchema,
  arguments: z.record(z.string(), globSchema).optional(),
  mode: approvalModeSchema,
});
export type ApprovalRule = z.infer<typeof approvalRuleSchema>;

/** The calls of a turn that need a person (docs/inputs.md "Policy"); a part of the turn's input. */
export interface ApprovalPolicy {
  /**
   * The first rule that matches a call decides about it. `setting` counts only for calls that no rule matches, and
   * whose tool does not itself need an approval.
   */
  readonly rules: readonly ApprovalRule[];
  readonly setting: ApprovalSetting;
  /** The setting that the request itself asks for: it can only make the policy stricter. */
  readonly requested?: ApprovalSetting;
  /** True when tools may be offered that ask a person whatever `setting` says. Such a turn must be able to ask. */
  readonly mayAsk?: boolean;
}

/** Reports whether a policy never asks and never denies. A turn with such a policy runs like a turn without one. */
export const allowsEverything = ({ rules, setting, requested = 'never', mayAsk }: ApprovalPolicy): boolean =>
  mayAsk !== true &&
  setting === 'never' &&
  requested === 'never' &&
  rules.every(({ mode }) => mode === 'allow');
