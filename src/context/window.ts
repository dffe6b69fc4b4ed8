import type { EarlierTurn } from '../db/conversations/branch.ts';
import { MAX_ANSWER_TOKENS } from '../contracts/model-message.ts';

/** What a prompt may hold of earlier turns. */
export interface WindowLimits {
  readonly tokens: number;
  /** Messages that a prompt may hold; undefined: any number. */
  readonly messages: number | undefined;
}

/** The limits of all prompts, and what is known of models: tokens that prompt and answer may have together. */
export interface PromptWindow extends WindowLimits {
  /** Absent: of no model. */
  readonly contextWindows?: ReadonlyMap<string, number>;
}

/** The limits of a model's prompts: never more tokens than its context window holds beside the longest answer. */
export const windowOfModel = ({ contextWindows, ...limits }: PromptWindow, model: string): WindowLimits => {
  const room = (contextWindows?.get(model) ?? Infinity) - MAX_ANSWER_TOKENS;
  return { ...limits, tokens: Math.max(0, Math.min(limits.tokens, room)) };
};

/**
 * How many of the earlier turns, newest first, stay in the prompt. While they fit, all: the beginning of the prompt is
 * then the same from turn to turn. When they do not, whole turns go until half is left, so that it changes once in many
 * turns (docs/context.md "Window").
 */
export const turnsInWindow = (
  turns: readonly Pick<EarlierTurn, 'tokens' | 'messages'>[],
  { tokens, messages = Infinity }: WindowLimits,
): number => {
  if (countWithin(turns, tokens, messages) === turns.length) return turns.length;
  return countWithin(turns, Math.floor(tokens / 2), Math.floor(messages / 2));
};

const countWithin = (
  turns: readonly Pick<EarlierTurn, 'tokens' | 'messages'>[],
  tokens: number,
  messages: number,
): number => {
  const left = { tokens, messages };
  const beyond = turns.findIndex((turn) => {
    left.tokens -= turn.tokens;
    left.messages -= turn.messages;
    return left.tokens < 0 || left.messages < 0;
  });
  return beyond < 0 ? turns.length : beyond;
};
