/** Covers which provider is asked for a model, under which name and with which key. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createModelRouter } from '../../src/llm/model-router.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer } from '../support/fake-model/responses.ts';
import { API_KEY, callOf, request, useFakeModel } from './support/client-fixture.ts';

describe('models with a name of their own', () => {
  const shared = useFakeModel();
  let other: FakeModel;
  beforeAll(async () => {
    other = await startFakeModel();
  });
  beforeEach(() => other.clear());
  afterAll(() => other.close());

  const router = () =>
    createModelRouter({
      baseUrl: shared.fake.baseUrl,
      apiKey: API_KEY,
      provider: 'generic',
      idleTimeoutMs: 60_000,
      totalTimeoutMs: 10_000,
      described: new Map([
        ['alias', { providerName: 'gpt-9', connection: undefined }],
        [
          'own',
          {
            providerName: 'llama',
            connection: { provider: 'openai', baseUrl: other.baseUrl, apiKey: 'sk-other-key' },
          },
        ],
        [
          'open',
          {
            providerName: 'open',
            connection: { provider: 'generic', baseUrl: other.baseUrl, apiKey: undefined },
          },
        ],
      ]),
    });

  const asked = async (fake: FakeModel, model: string) => {
    fake.script(answer('Yes.'));
    await callOf(router(), { ...request, model }).ended;
    const { headers, body } = fake.requests.at(-1) ?? {};
    return { model: body?.model, key: headers?.['authorization'], body };
  };

  it('are asked at their own provider, with its key and in its dialect', async () => {
    expect(await asked(other, 'own')).toMatchObject({
      model: 'llama',
      key: 'Bearer sk-other-key',
      body: { max_completion_tokens: request.maxTokens },
    });
    expect(shared.fake.requests).toEqual([]);
  });

  it('get no key where their entry has none', async () => {
    expect(await asked(other, 'open')).toMatchObject({ model: 'open', key: undefined });
  });

  it('are asked at the default provider when they have none of their own', async () => {
    const key = `Bearer ${API_KEY}`;
    expect(await asked(shared.fake, 'alias')).toMatchObject({ model: 'gpt-9', key });
    expect(await asked(shared.fake, 'any')).toMatchObject({ model: 'any', key });
    expect(other.requests).toEqual([]);
  });
});
