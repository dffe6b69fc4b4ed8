import type { ModelProvider } from '../config/settings/model-provider.ts';
import type { MessageRules } from './prompt-messages.ts';

/**
 * How requests must look for a provider (docs/turns.md "Model adapter"). Answers need no row: `completion-chunk.ts`
 * reads every dialect, since gateways mix them.
 */
export interface ProviderQuirks extends MessageRules {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /**
   * True when the provider takes a key with which requests that begin alike reach the machine that knows their
   * beginning.
   */
  readonly takesCacheKey?: boolean;
  /**
   * Largest number of tools of a request. Above it, the provider refuses the request. Absent if it takes any number.
   */
  readonly maxTools?: number;
  /** Models that refuse or ignore a temperature. */
  readonly fixedTemperature?: RegExp;
}

/** OpenAI's own bound, which many other providers have taken over. */
const MAX_TOOLS = 128;

const compatible: ProviderQuirks = { maxTokensField: 'max_tokens', maxTools: MAX_TOOLS };

/** Servers that people run themselves, which accept what they are sent. */
const ownServer: ProviderQuirks = { maxTokensField: 'max_tokens' };

const quirksTable: Readonly<Record<ModelProvider, ProviderQuirks>> = {
  openai: {
    // The reasoning models refuse `max_tokens`; all models accept `max_completion_tokens`.
    maxTokensField: 'max_completion_tokens',
    takesCacheKey: true,
    maxTools: MAX_TOOLS,
    fixedTemperature: /^(o\d|gpt-5(?!.*chat))/,
  },
  deepseek: { ...compatible, fixedTemperature: /reasoner/ },
  openrouter: compatible,
  // The chat templates of many open models raise an error for a later system message.
  vllm: { ...ownServer, allowsOnlyFirstSystem: true },
  ollama: ownServer,
  generic: compatible,
};

const knownHosts: readonly (readonly [host: RegExp, provider: ModelProvider])[] = [
  [/(^|\.)openai\.com$/, 'openai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
];

/**
 * Returns the provider's row. A generic provider whose host is one of `knownHosts` gets the row of that host's
 * provider.
 */
export const quirksOf = (provider: ModelProvider, baseUrl: string): ProviderQuirks => {
  if (provider !== 'generic') return quirksTable[provider];
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return quirksTable[knownHosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'generic'];
};
