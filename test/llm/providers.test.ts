/**
 * Runs one contract on all that the client talks to: our fake, the demo model, and aimock. Others made aimock from
 * recordings of real providers, since our own fake may share our errors.
 */
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDemoModel } from '../../src/demo-model/demo-model.ts';
import type { ModelRequest } from '../../src/llm/model-client.ts';
import { createModelClient } from '../../src/llm/openai-client.ts';
import { answer, longAnswer, refusal, answerWithCall } from '../support/fake-model/responses.ts';
import { clientOf, failureOf, request, useFakeModel } from './support/client-fixture.ts';
import { describeProvider } from './support/provider-contract.ts';

const clientAt = (baseUrl: string) =>
  createModelClient({
    baseUrl,
    apiKey: 'key',
    provider: 'generic',
    idleTimeoutMs: 60_000,
    totalTimeoutMs: 10_000,
  });
const asking = (content: string, fields: Partial<ModelRequest> = {}): ModelRequest => ({
  ...request,
  messages: [{ role: 'user', content }],
  ...fields,
});
const offered = (name: string): Pick<ModelRequest, 'tools'> => ({
  tools: [{ type: 'function', function: { name, description: '', parameters: {} } }],
});

const provider = useFakeModel();
describeProvider('the fake of the tests', () => {
  const { fake } = provider;
  return {
    client: clientOf(fake),
    says: () => {
      fake.script(answer('Grüße, ', '世界 🎉'));
      return { request, text: 'Grüße, 世界 🎉' };
    },
    calls: () => {
      fake.script(answerWithCall('get_weather', { city: 'Oslo' }));
      return { request, name: 'get_weather', args: { city: 'Oslo' } };
    },
    cut: () => {
      fake.script({ steps: [{ text: 'a' }, { finish: 'length' }, { done: true }] });
      return request;
    },
    refused: () => {
      fake.script(refusal(400, { message: 'expected messages' }));
      return request;
    },
    goesOn: () => {
      fake.script(longAnswer(10_000, 50));
      return request;
    },
  };
});

describe('with its own server', () => {
  let demo: Awaited<ReturnType<typeof startDemoModel>>;
  beforeAll(async () => {
    demo = await startDemoModel({ framesPerSecond: 200 });
  });
  afterAll(() => demo.close());

  describeProvider('the demo model', () => ({
    client: clientAt(`http://127.0.0.1:${demo.port}/v1`),
    says: () => ({ request: asking('Who are you?'), text: 'Orion demo model' }),
    calls: () => ({
      request: asking('Read README.md', offered('FileSystemTool_read_file')),
      name: 'FileSystemTool_read_file',
      args: { path: 'README.md' },
    }),
    cut: () => asking('Write 1,000 tokens', { maxTokens: 3 }),
    refused: () => asking('x', { messages: [] }),
    goesOn: () => asking('Count to 9000'),
  }));
});

describe('from recordings', () => {
  const mock = new LLMock({ port: 0 });
  beforeAll(() => mock.start());
  afterAll(() => mock.stop());

  describeProvider('aimock', () => ({
    client: clientAt(`${mock.url}/v1`),
    says: () => {
      mock.onMessage('greet', { content: 'Grüße, 世界 🎉' });
      return { request: asking('greet'), text: 'Grüße, 世界 🎉' };
    },
    calls: () => {
      mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] });
      return { request: asking('weather'), name: 'get_weather', args: { city: 'Oslo' } };
    },
    cut: () => {
      mock.onMessage('cut', { content: 'a', finishReason: 'length' });
      return asking('cut');
    },
    refused: () => {
      mock.nextRequestError(400, { message: 'expected messages', type: 'invalid_request_error' });
      return asking('refused');
    },
    goesOn: () => {
      // The mock goes on for a while after its client has left, and keeps the process alive for as long.
      mock.onMessage('go on', { content: 'word '.repeat(100) }, { latency: 20 });
      return asking('go on');
    },
  }));

  it('aimock asks for patience as a real one does', async () => {
    mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error' });
    const failure = await failureOf(clientAt(`${mock.url}/v1`), asking('greet'));
    expect(failure).toMatchObject({ code: 'model_rate_limited', isRetryable: true });
  });
});
