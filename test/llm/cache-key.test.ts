import { expect, it } from '@jest/globals';
import { MODEL_PROVIDERS } from '../../src/config/settings/model-provider.ts';
import { quirksOf } from '../../src/llm/quirks.ts';
import { requestBody } from '../../src/llm/request-body.ts';
import { request } from './support/client-fixture.ts';

it('a cache key of the conversation goes only to providers that take one, since some refuse unknown fields', () => {
  const bodies = MODEL_PROVIDERS.map((name) => {
    const body = requestBody({ ...request, cacheKey: 'k' }, quirksOf(name, 'http://localhost/v1'));
    return [name, 'prompt_cache_key' in body ? body.prompt_cache_key : undefined];
  });
  expect(Object.fromEntries(bodies)).toEqual({
    ...Object.fromEntries(MODEL_PROVIDERS.map((name) => [name, undefined])),
    openai: 'k',
  });
  const row = quirksOf('openai', 'https://api.openai.com/v1');
  expect(requestBody(request, row)).not.toHaveProperty('prompt_cache_key');
});
