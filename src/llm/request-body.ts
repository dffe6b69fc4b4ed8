import type { OpenAI } from 'openai';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { ModelRequest } from './model-client.ts';
import { providerMessages } from './prompt-messages.ts';
import { acceptedTools } from './accepted-tools.ts';
import type { ProviderQuirks } from './quirks.ts';

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
