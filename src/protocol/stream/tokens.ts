import { CHARACTERS_PER_TOKEN, type TokenUsage } from '../../contracts/model-message.ts';

/** What a call of that many characters of output (UTF-16 units) counts as; its prompt is not guessed. */
export const estimateUsage = (characters: number): TokenUsage => ({
  promptTokens: 0,
  completionTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  estimated: true,
});

/** Sum over calls; estimated as soon as one part is. */
export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  ...((a.estimated ?? b.estimated) ? { estimated: true } : {}),
});
