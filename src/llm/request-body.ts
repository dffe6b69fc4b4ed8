import type { OpenAI } from 'openai';
import type { ModelMessage } from '../contracts/model-message.ts';
import type { ModelRequest } from './model-client.ts';
import type { Quirks } from './quirks.ts';

type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming;

/** The JSON body of a streamed chat completion in the provider's dialect. */
export function requestBody(request: ModelRequest, quirks: Quirks): Body {
  const body: Body = {
    model: request.model,
    messages: request.messages.map(wireMessage),
    stream: true,
    stream_options: { include_usage: true },
    [quirks.maxTokensField]: request.maxTokens,
  };
  if (!quirks.fixedTemperature?.test(request.model)) body.temperature = request.temperature;
  // An empty list is a 400 with most providers.
  if (request.tools.length > 0) body.tools = [...request.tools];
  return body;
}

function wireMessage(message: ModelMessage): Body['messages'][number] {
  if (message.role !== 'assistant') return message;
  const { role, content, tool_calls: calls } = message;
  if (calls === undefined) return { role, content };
  // Providers that pass on to Anthropic refuse an empty text beside tool calls, null is taken by all.
  return { role, content: content === '' ? null : content, tool_calls: calls };
}
