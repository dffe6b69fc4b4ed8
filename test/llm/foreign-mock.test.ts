import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelFailure } from '../../src/llm/model-client.ts';
import { createModelClient } from '../../src/llm/openai-client.ts';
import { deltasOf, failureOf, request, textOf } from './support/client-fixture.ts';

// A provider that somebody else wrote from the real ones' recordings: our own fake may share our errors.
describe('the client against aimock', () => {
  const mock = new LLMock({ port: 0 });
  beforeAll(() => mock.start());
  afterAll(() => mock.stop());

  const client = () =>
    createModelClient({
      baseUrl: `${mock.url}/v1`,
      apiKey: 'mock',
      provider: 'generic',
      idleTimeoutMs: 5_000,
      totalTimeoutMs: 10_000,
    });
  const asking = (content: string) => ({ ...request, messages: [{ role: 'user', content }] as const });

  it('reads text, usage and a proper end', async () => {
    mock.onMessage('greet', { content: 'Grüße, 世界 🎉' });
    const deltas = await deltasOf(client(), asking('greet'));
    expect(textOf(deltas)).toBe('Grüße, 世界 🎉');
    expect(deltas.map(({ type }) => type)).toEqual(expect.arrayContaining(['usage', 'finish', 'end']));
  });

  it('reads a tool call', async () => {
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] });
    const deltas = await deltasOf(client(), asking('weather'));
    const calls = deltas.filter((delta) => delta.type === 'call');
    expect(calls.map(({ name }) => name ?? '').join('')).toBe('get_weather');
    expect(calls.map((delta) => delta.arguments ?? '').join('')).toBe('{"city":"Oslo"}');
    expect(deltas).toContainEqual({ type: 'finish', reason: 'tool_calls' });
  });

  it('classifies its refusals', async () => {
    mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error' });
    const failure = await failureOf(client(), asking('greet'));
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'model_rate_limited', retryable: true });
  });
});
