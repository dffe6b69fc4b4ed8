import type { OpenAI } from 'openai';
import type { ModelProvider } from '../config/settings/model-provider.ts';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { ModelRequest } from './model-client.ts';
import { type MessageRules, providerMessages } from './prompt-messages.ts';
import { acceptedTools } from './accepted-tools.ts';

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

type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

/** Returns the JSON body of a streamed chat completion in the provider's dialect. */
export const requestBody = (request: ModelRequest, quirks: ProviderQuirks): Body => {
  const body: Body = {
    model: request.model,
    messages: providerMessages(request.messages, quirks).map(wireMessage),
    stream: true,
    stream_options: { include_usage: true },
    [quirks.maxTokensField]: request.maxTokens,
  };
  if (!quirks.fixedTemperature?.test(request.model)) body.temperature = request.temperature;
  if (quirks.takesCacheKey && request.cacheKey !== undefined) body.prompt_cache_key = request.cacheKey;
  const { accepted } = acceptedTools(request.tools, quirks.maxTools);
  // Most providers answer an empty list with 400.
  if (accepted.length > 0) body.tools = [...accepted];
  return body;
};

const wireMessage = (message: ModelMessage): Body['messages'][number] => {
  if (message.role !== 'assistant') return message;
  const { role, content, tool_calls: calls } = message;
  if (calls === undefined) return { role, content };
  // Providers that pass on to Anthropic refuse an empty text beside tool calls; all accept null.
  return { role, content: content === '' ? null : content, tool_calls: calls };
};
