export type Provider = 'openai' | 'deepseek' | 'openrouter' | 'vllm' | 'ollama' | 'generic';

/** How a provider's chat completions differ from OpenAI's (turns.md "Model adapter"). */
export interface Quirks {
  /** Address used when `OPENAI_BASE_URL` is unset. */
  readonly baseUrl: string;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Models that refuse or ignore a temperature of one's own. */
  readonly fixedTemperature?: RegExp;
  /** `stream_options: { include_usage: true }` is understood. */
  readonly streamUsage: boolean;
  /** `false`: every call carries index 0, so only ids tell parallel calls apart. */
  readonly callIndexes: boolean;
}

const compatible: Quirks = {
  baseUrl: 'https://api.openai.com/v1',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  callIndexes: true,
};

const quirksTable: Readonly<Record<Provider, Quirks>> = {
  openai: {
    ...compatible,
    // `max_tokens` is refused by the reasoning models, `max_completion_tokens` is taken by all.
    maxTokensField: 'max_completion_tokens',
    fixedTemperature: /^(o\d|gpt-5(?!.*chat))/,
  },
  deepseek: { ...compatible, baseUrl: 'https://api.deepseek.com/v1', fixedTemperature: /reasoner/ },
  openrouter: { ...compatible, baseUrl: 'https://openrouter.ai/api/v1' },
  vllm: { ...compatible, baseUrl: 'http://127.0.0.1:8000/v1' },
  ollama: { ...compatible, baseUrl: 'http://127.0.0.1:11434/v1', callIndexes: false },
  generic: compatible,
};

/** Names of earlier releases; each also names the model to ask for when `ORION_MODEL` is unset. */
const oldNames: Readonly<Record<string, ProviderChoice>> = {
  'gpt-4.1': { provider: 'openai', model: 'gpt-4.1' },
  deepseekchat: { provider: 'deepseek', model: 'deepseek-chat' },
  deepseekreasoner: { provider: 'deepseek', model: 'deepseek-reasoner' },
};

export interface ProviderChoice {
  readonly provider: Provider;
  /** Model that the name stands for. */
  readonly model?: string;
}

/** All values that `ORION_MODEL_PROVIDER` and its alias `ADAPTER_TYPE` may have. */
export const providerNames: readonly string[] = [...Object.keys(quirksTable), ...Object.keys(oldNames)];

const isProvider = (name: string): name is Provider => Object.hasOwn(quirksTable, name);

/** The provider behind a configured name, in any case; undefined for an unknown name. */
export function findProvider(name: string): ProviderChoice | undefined {
  const wanted = name.trim().toLowerCase();
  if (isProvider(wanted)) return { provider: wanted };
  return Object.hasOwn(oldNames, wanted) ? oldNames[wanted] : undefined;
}

const knownHosts: readonly (readonly [host: RegExp, provider: Provider])[] = [
  [/^api\.openai\.com(:|$)/, 'openai'],
  [/(^|\.)deepseek\.com(:|$)/, 'deepseek'],
  [/(^|\.)openrouter\.ai(:|$)/, 'openrouter'],
  [/:11434$/, 'ollama'],
];

/** The provider behind an address, for a configuration that names none. */
export function inferProvider(baseUrl: string): Provider {
  const host = URL.parse(baseUrl)?.host ?? '';
  return knownHosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'generic';
}

export const quirksOf = (provider: Provider): Quirks => quirksTable[provider];
