import type { Usage } from '../../contracts/model-message.ts';

/** Characters that count as one token where the provider's usage is unknown (docs/protocol.md "Budgets"). */
export const CHARACTERS_PER_TOKEN = 4;

export const estimateUsage = (characters: number): Usage => ({
  promptTokens: 0,
  completionTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  estimated: true,
});

/** Sum over calls; estimated as soon as one part is. */
export const addUsage = (a: Usage, b: Usage): Usage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  ...((a.estimated ?? b.estimated) ? { estimated: true } : {}),
});
