/** Covers the client over real HTTP, against the scriptable fake provider. */
import { describe, expect, it } from '@jest/globals';
import { ModelStreamReader } from '../../src/protocol/stream/model-stream.ts';
import type { RawDelta } from '../../src/protocol/stream/raw-delta.ts';
import { answer, answerWithCall, answerWithCalls } from '../support/fake-model/responses.ts';
import type { Step } from '../support/fake-model/script.ts';
import { API_KEY, clientOf, deltasOf, request, textOf, useFakeModel } from './support/client-fixture.ts';

const provider = useFakeModel();
const play = (...steps: readonly Step[]) => {
  provider.fake.script({ steps });
  return deltasOf(clientOf(provider.fake));
};

const readerOf = (deltas: readonly RawDelta[]): ModelStreamReader => {
  const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: 10_000 });
  for (const delta of deltas) reader.feed(delta);
  return reader;
};
const callsOf = (deltas: readonly RawDelta[]) =>
  readerOf(deltas)
    .calls()
    .map((call) => [call.function.name, call.function.arguments]);

describe('a whole answer', () => {
  it('gives text, usage, finish and the terminal marker in this order', async () => {
    provider.fake.script(answer('Hel', 'lo'));
    expect(await deltasOf(clientOf(provider.fake))).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'usage', usage: { promptTokens: 100, completionTokens: 20 } },
      { type: 'finish', reason: 'stop' },
      { type: 'end' },
    ]);
  });

  it('counts with a finish reason and no [DONE]', async () => {
    expect(await play({ text: 'a' }, { finish: 'stop' })).toEqual([
      { type: 'text', text: 'a' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('counts with [DONE] and no finish reason', async () => {
    expect(await play({ text: 'a' }, { done: true })).toEqual([{ type: 'text', text: 'a' }, { type: 'end' }]);
  });

  it('counts when the provider ignores stream: true and sends one JSON body', async () => {
    provider.fake.script({
      body: {
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      },
    });
    expect(await deltasOf(clientOf(provider.fake))).toEqual([
      { type: 'text', text: 'whole' },
      { type: 'usage', usage: { promptTokens: 3, completionTokens: 1 } },
      { type: 'finish', reason: 'stop' },
      { type: 'end' },
    ]);
  });

  it('is not cut by a reset after its end', async () => {
    expect(textOf(await play({ text: 'a' }, { finish: 'stop' }, { reset: true }))).toBe('a');
  });

  it('ends a second after its finish reason when the connection stays open', async () => {
    const deltas = await play({ text: 'a' }, { finish: 'stop' }, { stall: true });
    expect(deltas.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('has the whole time limit again when more comes after its apparent end', async () => {
    const early = { frame: { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] } };
    const deltas = await play(early, { text: 'b' }, { waitMs: 1_200 }, { text: 'c' }, { done: true });
    expect(textOf(deltas)).toBe('abc');
  });

  it('closes a connection that stays open a second after its end marker', async () => {
    expect(textOf(await play({ text: 'a' }, { done: true }, { stall: true }))).toBe('a');
    expect(await (await provider.fake.nextRequest()).closed).toBe('left');
  });

  it('goes on after a finish reason that comes with every frame', async () => {
    const frame = (content: string) => ({
      frame: { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] },
    });
    const deltas = await play(frame('a'), frame('b'), { waitMs: 5 }, frame('c'), { done: true });
    expect(textOf(deltas)).toBe('abc');
    expect(deltas.filter(({ type }) => type === 'finish')).toHaveLength(1);
  });
});

describe('frames on the wire', () => {
  it.each([
    { name: 'CRLF', script: { lineEnd: '\r\n' } as const },
    { name: 'data: without a blank', script: { dataPrefix: 'data:' } as const },
    { name: 'one byte a write', script: { cuts: [1] } },
  ])('are read with $name', async ({ script }) => {
    provider.fake.script({ ...answer('Größe 🎉', '\r\n', 'ok'), ...script });
    expect(textOf(await deltasOf(clientOf(provider.fake)))).toBe('Größe 🎉\r\nok');
  });

  it('may lack the blank line after the last one', async () => {
    expect((await play({ text: 'a' }, { raw: 'data: [DONE]' })).at(-1)).toEqual({ type: 'end' });
  });

  it('may be comments, role-only, empty or without choices', async () => {
    const deltas = await play(
      { comment: 'OPENROUTER PROCESSING' },
      {
        frame: { choices: [{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }] },
      },
      { frame: { choices: [{ index: 0, delta: { content: '' }, finish_reason: '' }] } },
      { frame: { id: 'x', choices: [] } },
      { raw: 'data:\n\n' },
      { frame: { choices: [{ index: 1, delta: { content: 'other choice' } }] } },
      { text: 'a' },
      { finish: 'eos' },
      { done: true },
    );
    expect(deltas).toEqual([
      { type: 'text', text: 'a' },
      { type: 'finish', reason: 'stop' },
      { type: 'end' },
    ]);
  });

  it('carry text as parts and refusals too', async () => {
    const deltas = await play(
      { frame: { choices: [{ delta: { content: [{ type: 'text', text: 'part ' }] } }] } },
      { frame: { choices: [{ delta: { content: null, refusal: 'no' } }] } },
      { done: true },
    );
    expect(textOf(deltas)).toBe('part no');
  });

  it('carry reasoning under three names, never as text', async () => {
    const deltas = await play(
      { reasoning: 'a', field: 'reasoning_content' },
      { reasoning: 'b', field: 'reasoning' },
      { reasoning: 'c', field: 'thinking' },
      { frame: { choices: [{ delta: { reasoning: 'd', reasoning_content: 'd' } }] } },
      {
        frame: {
          choices: [{ delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'e' }] }] } }],
        },
      },
      { text: 'said' },
      { done: true },
    );
    expect(deltas.map((delta) => (delta.type === 'reasoning' ? delta.text : '')).join('')).toBe('abcde');
    expect(textOf(deltas)).toBe('said');
  });

  it('carry usage in the last frame, in every frame, or as Groq does', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 2 };
    const forms = [
      [{ usage: { prompt: 7, completion: 2 } }],
      [
        {
          frame: {
            choices: [{ delta: { content: 'a' } }],
            usage: { prompt_tokens: 7, completion_tokens: 1 },
          },
        },
        { frame: { choices: [{ delta: {}, finish_reason: 'stop' }], usage } },
      ],
      [{ frame: { choices: [{ delta: {}, finish_reason: 'stop' }], usage: null, x_groq: { usage } } }],
    ];
    for (const steps of forms) {
      const deltas = await play(...steps, { done: true });
      expect(deltas.findLast(({ type }) => type === 'usage')).toEqual({
        type: 'usage',
        usage: { promptTokens: 7, completionTokens: 2 },
      });
    }
  });

  it.each([
    [
      'OpenAI',
      {
        prompt_tokens_details: { cached_tokens: 40, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 6 },
      },
      { cachedTokens: 40, reasoningTokens: 6 },
    ],
    [
      'OpenRouter',
      { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 90 } },
      { cachedTokens: 0, cacheWriteTokens: 90 },
    ],
    [
      'LiteLLM',
      { prompt_tokens_details: { cache_creation_tokens: 90 }, prompt_cache_hit_tokens: null },
      { cacheWriteTokens: 90 },
    ],
    ['DeepSeek', { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, { cachedTokens: 64 }],
    [
      'xAI, which counts reasoning beside the completion',
      { total_tokens: 120, completion_tokens_details: { reasoning_tokens: 10 } },
      { completionTokens: 20, reasoningTokens: 10 },
    ],
    ['one that tells nonsense', { prompt_tokens_details: 'none', prompt_cache_hit_tokens: -3 }, {}],
    [
      'one whose parts are more than the whole',
      {
        prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 900 },
        completion_tokens_details: { reasoning_tokens: 900 },
      },
      { cachedTokens: 100, cacheWriteTokens: 0, reasoningTokens: 10 },
    ],
  ])('carry the counts of cached and reasoning tokens: %s', async (_provider, details, told) => {
    const usage = { prompt_tokens: 100, completion_tokens: 10, ...details };
    const deltas = await play({ frame: { choices: [], usage } }, { finish: 'stop' }, { done: true });
    expect(deltas.find(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      usage: { promptTokens: 100, completionTokens: 10, ...told },
    });
  });

  it('carry no usage where the count is impossible', async () => {
    const usage = { prompt_tokens: 1e300, completion_tokens: 1 };
    const deltas = await play({ frame: { choices: [], usage } }, { finish: 'stop' }, { done: true });
    expect(deltas.some(({ type }) => type === 'usage')).toBe(false);
  });
});

describe('tool calls, through to the merged calls', () => {
  it('are read in the pieces that OpenAI sends', async () => {
    provider.fake.script(answerWithCall('read_file', { path: 'README.md' }));
    const deltas = await deltasOf(clientOf(provider.fake));
    expect(callsOf(deltas)).toEqual([['read_file', '{"path":"README.md"}']]);
    expect(deltas.at(-2)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });

  it('are read in parallel and interleaved', async () => {
    const deltas = await play(
      { calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }] },
      { calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } }] },
      {
        calls: [
          { index: 0, function: { arguments: ':1}' } },
          { index: 1, function: { arguments: ':2}' } },
        ],
      },
      { finish: 'tool_calls' },
    );
    expect(callsOf(deltas)).toEqual([
      ['f', '{"x":1}'],
      ['g', '{"y":2}'],
    ]);
  });

  it.each([
    {
      name: 'vLLM: {} first',
      steps: [
        { calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] },
        { calls: [{ index: 0, function: { arguments: '{"x":1}' } }] },
      ],
    },
    {
      name: 'cumulative arguments',
      steps: ['{', '{"x"', '{"x":1', '{"x":1}'].map((text) => ({
        calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }],
      })),
    },
    {
      name: 'arguments as an object',
      steps: [{ calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] }],
    },
    {
      name: 'nulls beside the fragments',
      steps: [
        { calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: null } }] },
        { calls: [{ index: 0, id: null, type: null, function: { name: null, arguments: '{"x":1}' } }] },
      ],
    },
    {
      name: 'the former function_call',
      steps: [
        { frame: { choices: [{ delta: { function_call: { name: 'f', arguments: '{"x"' } } }] } },
        { frame: { choices: [{ delta: { function_call: { arguments: ':1}' } } }] } },
      ],
    },
  ])('are read from $name', async ({ steps }) => {
    expect(callsOf(await play(...steps, { finish: 'function_call' }))).toEqual([['f', '{"x":1}']]);
  });

  it('are kept apart when Ollama gives all of them index 0 or none', async () => {
    const whole = (index: number | undefined, id: string, x: number) => ({
      calls: [{ index, id, function: { name: 'f', arguments: { x } } }],
    });
    for (const index of [0, undefined]) {
      const deltas = await play(whole(index, 'a', 1), whole(index, 'b', 2), { finish: 'stop' });
      expect(callsOf(deltas)).toEqual([
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
      ]);
    }
  });

  it('may have no arguments field at all', async () => {
    const deltas = await play(
      { calls: [{ index: 0, id: 'a', function: { name: 'f' } }] },
      { finish: 'tool_calls' },
    );
    expect(callsOf(deltas)).toEqual([['f', '']]);
  });

  it('come whole in one answer', async () => {
    provider.fake.script(answerWithCalls(['f', { a: 1 }], ['g', {}]));
    expect(callsOf(await deltasOf(clientOf(provider.fake)))).toEqual([
      ['f', '{"a":1}'],
      ['g', '{}'],
    ]);
  });
});

describe('the request', () => {
  const bodyOf = async (provided: Parameters<typeof clientOf>[1], asked = request) => {
    provider.fake.script(answer('ok'));
    await deltasOf(clientOf(provider.fake, provided), asked);
    return provider.fake.nextRequest();
  };

  it('asks for a stream with usage, and names no tools when there are none', async () => {
    const { body, headers } = await bodyOf({});
    expect(body).toEqual({
      model: 'fake',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.3,
      max_tokens: 8192,
    });
    expect(headers.authorization).toBe(`Bearer ${API_KEY}`);
  });

  it('sends no Authorization header without a key', async () => {
    expect((await bodyOf({ apiKey: undefined })).headers.authorization).toBeUndefined();
  });

  it('fits models that take max_completion_tokens and no temperature', async () => {
    const { body } = await bodyOf({ provider: 'openai' }, { ...request, model: 'o3-mini' });
    expect(body).toMatchObject({ max_completion_tokens: 8192 });
    expect(body).not.toHaveProperty('max_tokens');
    expect(body).not.toHaveProperty('temperature');
  });

  it('sends tools and a tool conversation, with null instead of an empty text beside calls', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const tool = { type: 'function', function: { name: 'f', description: 'd', parameters: {} } } as const;
    const { body } = await bodyOf(
      {},
      {
        ...request,
        tools: [tool],
        messages: [
          { role: 'assistant', content: '', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'a', content: 'lone \ud800 half, größer 🎉' },
        ],
      },
    );
    expect(body.tools).toEqual([tool]);
    expect(body.messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'lone \ud800 half, größer 🎉' },
    ]);
  });
});
