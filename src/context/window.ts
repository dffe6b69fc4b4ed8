import type { EarlierTurn } from '../db/conversations/branch.ts';

/** What a prompt may hold of earlier turns. */
export interface WindowLimits {
  readonly tokens: number;
  /** Messages that a prompt may hold; undefined: any number. */
  readonly messages: number | undefined;
}

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
