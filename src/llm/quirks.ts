import type { ModelProvider } from '../config/model-provider.ts';

/**
 * What a request must look like for a provider (docs/turns.md "Model adapter"). How answers differ needs no row:
 * `completion-chunk.ts` reads every dialect, since gateways mix them.
 */
export interface Quirks {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Models that refuse or ignore a temperature of one's own. */
  readonly fixedTemperature?: RegExp;
}

const compatible: Quirks = { maxTokensField: 'max_tokens' };

const quirksTable: Readonly<Record<ModelProvider, Quirks>> = {
  openai: {
    // `max_tokens` is refused by the reasoning models, `max_completion_tokens` is taken by all.
    maxTokensField: 'max_completion_tokens',
    fixedTemperature: /^(o\d|gpt-5(?!.*chat))/,
  },
  deepseek: { ...compatible, fixedTemperature: /reasoner/ },
  openrouter: compatible,
  vllm: compatible,
  ollama: compatible,
  generic: compatible,
};

const knownHosts: readonly (readonly [host: RegExp, provider: ModelProvider])[] = [
  [/(^|\.)openai\.com$/, 'openai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
];

/** The provider's row; a generic provider at a host with a row of its own has that one. */
export function quirksOf(provider: ModelProvider, baseUrl: string): Quirks {
  if (provider !== 'generic') return quirksTable[provider];
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return quirksTable[knownHosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'generic'];
}
