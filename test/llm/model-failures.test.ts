import { describe, expect, it } from '@jest/globals';
import { startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, refusal } from '../support/fake-model/responses.ts';
import type { Response, Step } from '../support/fake-model/script.ts';
import { API_KEY, callOf, clientOf, deltasOf, failureOf, useFakeModel } from './support/client-fixture.ts';

const provider = useFakeModel();
const failureAfter = (response: Response) => {
  provider.fake.script(response);
  return failureOf(clientOf(provider.fake));
};
const failureIn = (...steps: readonly Step[]) => failureAfter({ steps });
const vllmError = { object: 'error', message: 'boom', type: 'BadRequestError', code: 400 };

describe('a refused request', () => {
  it.each([
    {
      response: refusal(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
      code: 'model_auth',
      isRetryable: false,
    },
    { response: refusal(403, { message: 'Country not supported' }), code: 'model_auth', isRetryable: false },
    {
      response: refusal(404, { message: 'No such model', code: 'model_not_found' }),
      code: 'model_bad_request',
      isRetryable: false,
    },
    { response: refusal(400, { message: 'Unknown field' }), code: 'model_bad_request', isRetryable: false },
    { response: refusal(422, { message: 'Unprocessable' }), code: 'model_bad_request', isRetryable: false },
    {
      response: refusal(400, { message: 'Too long', code: 'context_length_exceeded' }),
      code: 'model_context_length',
      isRetryable: false,
    },
    {
      response: refusal(400, { message: "This model's maximum context length is 8192 tokens." }),
      code: 'model_context_length',
      isRetryable: false,
    },
    {
      response: refusal(400, { message: 'too big', type: 'exceed_context_size_error' }),
      code: 'model_context_length',
      isRetryable: false,
    },
    {
      response: refusal(400, { message: 'prompt is too long: 9 tokens > 8 maximum' }),
      code: 'model_context_length',
      isRetryable: false,
    },
    {
      response: { status: 413, body: 'Payload Too Large' },
      code: 'model_context_length',
      isRetryable: false,
    },
    {
      response: refusal(429, { message: 'Slow down', code: 'rate_limit_exceeded' }),
      code: 'model_rate_limited',
      isRetryable: true,
    },
    {
      response: refusal(429, { message: 'Quota', code: 'insufficient_quota' }),
      code: 'model_rate_limited',
      isRetryable: false,
    },
    {
      response: refusal(402, { message: 'Insufficient credits', code: 402 }),
      code: 'model_rate_limited',
      isRetryable: false,
    },
    { response: refusal(408, { message: 'Timeout' }), code: 'model_unavailable', isRetryable: true },
    {
      response: refusal(500, { message: 'Oops', type: 'server_error' }),
      code: 'model_unavailable',
      isRetryable: true,
    },
    {
      response: { status: 502, body: '<html><body>Bad gateway</body></html>' },
      code: 'model_unavailable',
      isRetryable: true,
    },
    { response: { status: 503 }, code: 'model_unavailable', isRetryable: true },
    {
      response: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in' },
      code: 'model_bad_request',
      isRetryable: false,
    },
  ] as { response: Response; code: string; isRetryable: boolean }[])(
    'is $code, retryable $isRetryable: $response.status $response.body',
    async ({ response, code, isRetryable }) => {
      const failure = await failureAfter(response);
      expect({ code: failure.code, isRetryable: failure.isRetryable }).toEqual({ code, isRetryable });
      expect(failure.message).not.toMatch(/undefined|\[object|<html/);
    },
  );

  it.each([
    { headers: { 'retry-after': '7' }, expected: 7_000 },
    { headers: { 'retry-after': '0.5' }, expected: 500 },
    { headers: { 'retry-after-ms': '150', 'retry-after': '7' }, expected: 150 },
    { headers: { 'retry-after': 'soon' }, expected: undefined },
    { headers: {}, expected: undefined },
  ])('says how long to wait: $headers', async ({ headers, expected }) => {
    const failure = await failureAfter(refusal(429, { message: 'Slow down' }, headers));
    expect(failure.retryAfterMs).toBe(expected);
  });

  it('reads Retry-After as a date, also one that has passed, and with 503', async () => {
    const at = (ms: number) => ({ 'retry-after': new Date(Date.now() + ms).toUTCString() });
    const later = await failureAfter(refusal(503, { message: 'Maintenance' }, at(60_000)));
    expect(later.retryAfterMs).toBeGreaterThan(55_000);
    expect(later.retryAfterMs).toBeLessThanOrEqual(60_000);
    expect((await failureAfter(refusal(429, { message: 'x' }, at(-60_000)))).retryAfterMs).toBe(0);
  });

  it('is tried once: Temporal owns the retries', async () => {
    await failureAfter(refusal(500, { message: 'Oops' }));
    expect(provider.fake.requests).toHaveLength(1);
  });
});

describe('the text of a failure', () => {
  it('names status and reason', async () => {
    const failure = await failureAfter(refusal(404, { message: 'The model `x` does not exist' }));
    expect(failure.message).toBe(
      'The model provider refused the request (HTTP 404): The model `x` does not exist',
    );
  });

  it('never holds the API key, whole, masked or in a header', async () => {
    const quoted = [API_KEY, 'sk-proj-0123****cdef', `Bearer ${API_KEY}`, `x${API_KEY}y`].join(' ');
    const { message } = await failureAfter(refusal(401, { message: `Incorrect API key: ${quoted}` }));
    expect(message).not.toMatch(/0123|cdef/);
  });

  it.each([
    ['Google', `AIza${'Sy0123abcd'.repeat(4)}`],
    ['GitHub', `ghp_${'0123abcd'.repeat(4)}`],
    ['GitLab', `glpat-${'0123abcd'.repeat(3)}`],
    ['AWS', `AKIA${'0123ABCD'.repeat(2)}`],
    ['a signer', `eyJ${'0123abcd'.repeat(2)}.${'0123abcd'.repeat(2)}.0123`],
  ])('never holds a key of %s, which a proxy quotes', async (_whose, key) => {
    const { message } = await failureAfter(refusal(401, { message: `Refused: ${key}` }));
    expect(message).toMatch(/Refused: \[key\]$/);
  });

  it('never holds an unusable key or address, with which no client is made', () => {
    const made = (options: object) => () => clientOf(provider.fake, options);
    expect(made({ apiKey: `${API_KEY}\nX: y` })).toThrow(/^OPENAI_API_KEY: expected [^0]+$/);
    expect(made({ baseUrl: 'http://user:secret@127.0.0.1/v1' })).toThrow(
      /^OPENAI_BASE_URL: expected (?!.*secret)/,
    );
    expect(made({ baseUrl: 'localhost:1' })).toThrow('OPENAI_BASE_URL');
  });

  it('is one bounded line', async () => {
    const { message } = await failureAfter(refusal(400, { message: 'a\n\u0000b '.repeat(1_000) }));
    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/[\n\0]/);
  });

  it('names a refused connection and a host that does not exist', async () => {
    const gone = await startFakeModel();
    await gone.close();
    expect((await failureOf(clientOf(gone))).message).toContain(
      `connect ECONNREFUSED 127.0.0.1:${gone.port}`,
    );
    const nowhere = await failureOf(clientOf(gone, { baseUrl: 'http://nowhere.invalid/v1' }));
    expect(nowhere).toMatchObject({ code: 'model_unavailable', isRetryable: true });
  });
});

describe('a stream that fails', () => {
  it.each([
    { name: 'is cut after text', steps: [{ text: 'a' }] },
    { name: 'is cut before its first frame', steps: [] },
    {
      name: 'is cut inside a frame',
      steps: [{ text: 'a' }, { raw: 'data: {"choices":[{"delta":{"content":"b' }],
    },
    { name: 'is cut inside the terminal marker', steps: [{ text: 'a' }, { raw: 'data: [DON' }] },
    { name: 'is reset', steps: [{ text: 'a' }, { reset: true }] },
    { name: 'has a frame that is no JSON', steps: [{ raw: 'data: {oops}\n\n' }, { done: true }] },
    { name: 'has a frame of another shape', steps: [{ frame: { choices: 'x' } }, { done: true }] },
    { name: 'has a frame that is null', steps: [{ raw: 'data: null\n\n' }, { done: true }] },
    { name: 'ends with finish reason error', steps: [{ text: 'a' }, { finish: 'error' }] },
    { name: 'ends with DeepSeek out of resources', steps: [{ finish: 'insufficient_system_resource' }] },
  ] as { name: string; steps: Step[] }[])('$name: retryable, never success', async ({ steps }) => {
    expect(await failureIn(...steps)).toMatchObject({ code: 'model_unavailable', isRetryable: true });
  });

  it('is cut when it ends after a finish reason that was followed by more text', async () => {
    const early = { frame: { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] } };
    expect(await failureIn(early, { text: 'b' })).toMatchObject({
      code: 'model_unavailable',
      isRetryable: true,
    });
  });

  it.each([
    { name: 'one line', headers: {} },
    { name: 'one JSON body', headers: { 'content-type': 'application/json' } },
  ] as { name: string; headers: Record<string, string> }[])(
    'is refused at 8 MiB when it sends 50 MB in $name',
    async ({ headers }) => {
      const flood = { flood: 'x'.repeat(1024), times: 50 * 1024 };
      const failure = await failureAfter({ headers, steps: [{ raw: 'data: ' }, flood] });
      expect(failure.message).toBe('The model provider sent a frame of more than 8 MiB.');
      expect(await (await provider.fake.nextRequest()).closed).toBe('left');
    },
  );

  it('is cut at any byte: no cut is taken for a whole answer', async () => {
    for (const resetAfterBytes of [1, 150, 300, 450]) {
      const failure = await failureAfter({
        steps: [{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }],
        resetAfterBytes,
      });
      expect(failure.code).toBe('model_unavailable');
    }
  });

  it.each([
    {
      frame: { error: { message: 'Provider returned error', code: 502 } },
      code: 'model_unavailable',
      isRetryable: true,
    },
    {
      frame: {
        error: { message: 'Rate limited', code: 429 },
        choices: [{ delta: { content: '' }, finish_reason: 'error' }],
      },
      code: 'model_rate_limited',
      isRetryable: true,
    },
    {
      frame: { error: { message: 'x', type: 'rate_limit_error' } },
      code: 'model_rate_limited',
      isRetryable: true,
    },
    {
      frame: { error: { message: 'x', code: 'context_length_exceeded' } },
      code: 'model_context_length',
      isRetryable: false,
    },
    { frame: { error: { message: 'x', code: '401' } }, code: 'model_auth', isRetryable: false },
    {
      frame: { error: { message: 'x', type: 'invalid_request_error' } },
      code: 'model_bad_request',
      isRetryable: false,
    },
    { frame: { error: 'plain words' }, code: 'model_unavailable', isRetryable: true },
    { frame: vllmError, code: 'model_bad_request', isRetryable: false },
  ])('with an error frame is $code: $frame', async ({ frame, code, isRetryable }) => {
    expect(await failureIn({ text: 'a' }, { frame }, { done: true })).toMatchObject({ code, isRetryable });
  });

  it('with an error frame after its finish reason fails too', async () => {
    expect(await failureIn({ finish: 'stop' }, { frame: { error: { message: 'x' } } })).toMatchObject({
      code: 'model_unavailable',
      isRetryable: true,
    });
  });

  it('gives what was said before it failed', async () => {
    provider.fake.script({ steps: [{ text: 'said' }, { frame: { error: { message: 'x' } } }] });
    const { deltas, ended } = callOf(clientOf(provider.fake));
    await expect(ended).rejects.toThrow('The model provider is not available: x');
    expect(deltas).toEqual([{ type: 'text', text: 'said' }]);
  });

  it('does not harm the next call', async () => {
    await failureIn({ text: 'a' }, { reset: true });
    provider.fake.script(answer('fine'));
    expect((await deltasOf(clientOf(provider.fake))).at(-1)).toEqual({ type: 'end' });
  });
});
