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

const COMPATIBLE: ProviderQuirks = { maxTokensField: 'max_tokens', maxTools: MAX_TOOLS };

/** Servers that people run themselves, which accept what they are sent. */
const OWN_SERVER: ProviderQuirks = { maxTokensField: 'max_tokens' };

const QUIRKS: Readonly<Record<ModelProvider, ProviderQuirks>> = {
  openai: {
    // The reasoning models refuse `max_tokens`; all models accept `max_completion_tokens`.
    maxTokensField: 'max_completion_tokens',
    takesCacheKey: true,
    maxTools: MAX_TOOLS,
    fixedTemperature: /^(o\d|gpt-5(?!.*chat))/,
  },
  deepseek: { ...COMPATIBLE, fixedTemperature: /reasoner/ },
  openrouter: COMPATIBLE,
  // The chat templates of many open models raise an error for a later system message.
  vllm: { ...OWN_SERVER, allowsOnlyFirstSystem: true },
  ollama: OWN_SERVER,
  generic: COMPATIBLE,
};

const KNOWN_HOSTS: readonly (readonly [host: RegExp, provider: ModelProvider])[] = [
  [/(^|\.)openai\.com$/, 'openai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
];

/**
 * Returns the provider's row. A generic provider whose host is one of `KNOWN_HOSTS` gets the row of that host's
 * provider.
 */
export const quirksOf = (provider: ModelProvider, baseUrl: string): ProviderQuirks => {
  if (provider !== 'generic') return QUIRKS[provider];
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return QUIRKS[KNOWN_HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? 'generic'];
};
