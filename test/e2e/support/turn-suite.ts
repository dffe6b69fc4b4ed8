import { afterAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTerminal, type ChatClient } from '../../support/chat-client.ts';
import type { FakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, longAnswer, refusal, toolCall } from '../../support/fake-model/responses.ts';
import type { Step } from '../../support/fake-model/script.ts';
import { withoutSurroundings } from '../../../src/contracts/surroundings-text.ts';
import { textOf, violations } from '../../support/recording-check.ts';
import { readHistory } from './turn-history.ts';
import { useStack } from '../../support/use-stack.ts';

const API_KEY = 'sk-test-0123456789abcdef';

/** Whole turns over HTTP, on the processes that `npm start` runs, against a scripted provider. */
export const turnSuite = (env: Readonly<Record<string, string>>): void => {
  let fake: FakeModel;
  let chat: ChatClient;
  const folder = mkdtempSync(join(tmpdir(), 'orion-turns-'));
  const projects = { warm: { temperature: { plan: 1.25, act: 0 } }, half: { temperature: { act: 2 } } };
  writeFileSync(join(folder, 'projects.json'), JSON.stringify(projects));
  useStack(
    {
      OPENAI_API_KEY: API_KEY,
      // A busy machine stops a provider for a second now and then; only a real stall may end an attempt.
      MODEL_IDLE_TIMEOUT_MS: '2500',
      ORION_PROJECTS_FILE: join(folder, 'projects.json'),
      ...env,
    },
    (started) => void ({ chat, fake } = started),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const turnIdOf = (recorder: { response: Response }): string =>
    recorder.response.headers.get('x-turn-id') ?? '';

  describe('a turn', () => {
    it('shows the phases 0 to 4 of a question that needs two tools, and one done', async () => {
      fake.script(
        toolCall('FileSystemTool_list_files', { path: '.' }, { text: 'I will look. ' }),
        toolCall('FileSystemTool_write_to_file', { path: 'a.txt', content: 'hello' }),
        answer('All ', 'done.'),
      );
      const stream = await chat.chat({ content: 'two tools' });
      await stream.ended;
      const phases = stream.frames.filter(({ data }) => data['type'] === 'phase').map(({ data }) => data);
      expect(phases.map((data) => [data['phase'], data['phaseIndex'], data['cycleIndex']])).toEqual([
        ['action_phase', 0, 0],
        ['tool_phase', 1, 0],
        ['action_phase', 2, 1],
        ['tool_phase', 3, 1],
        ['action_phase', 4, 2],
      ]);
      expect(violations(stream.frames)).toEqual([]);
      expect(stream.frames.at(-1)?.data).toMatchObject({
        done: true,
        fullContent: 'I will look. \n\nAll done.',
        reason: 'answered',
      });
    });

    it('is timed on its way to a worker by the lane that it opens', async () => {
      fake.script(answer('Timed.'));
      await (
        await chat.chat({ content: 'time me' })
      ).ended;
      const metrics = await (await chat.request('/metrics')).text();
      const timed = Number(/^orion_turn_start_seconds_count (\d+)$/m.exec(metrics)?.[1]);
      expect(timed > 0).toBe(env['LIVE_LANE'] !== 'off');
    });

    it('resumes from every id after its end, with the same frames', async () => {
      fake.script(toolCall('FileSystemTool_list_files', { path: '.' }), answer('a', 'b', 'c'));
      const stream = await chat.chat({ content: 'resume' });
      await stream.ended;
      const all = await chat.events(turnIdOf(stream));
      await all.ended;
      expect(all.frames.map(({ id }) => id)).toEqual(stream.frames.map(({ id }) => id));
      for (const [i, { id }] of all.frames.entries()) {
        const rest = await chat.events(turnIdOf(stream), id);
        await rest.ended;
        expect(rest.frames.map(({ data }) => data)).toEqual(all.frames.slice(i + 1).map(({ data }) => data));
        if (i === all.frames.length - 1) expect(rest.response.status).toBe(204);
      }
    });

    it('remembers the conversation: oldest first, each message once', async () => {
      const conversationId = randomUUID();
      for (const [question, reply] of [
        ['one?', 'One.'],
        ['two?', 'Two.'],
        ['three?', 'Three.'],
      ] as const) {
        fake.script(answer(reply));
        const stream = await chat.chat({ content: question, conversationId });
        await stream.ended;
        expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: reply });
      }
      const messages = fake.requests.at(-1)?.body.messages ?? [];
      expect(messages[0]?.role).toBe('system');
      expect(messages.slice(1).map(({ content }) => withoutSurroundings(String(content)))).toEqual([
        'one?',
        'One.',
        'two?',
        'Two.',
        'three?',
      ]);
    });

    it('remembers what its tools returned: the next prompt begins with the bytes of the last', async () => {
      const conversationId = randomUUID();
      fake.script(toolCall('FileSystemTool_list_files', { path: '.' }, { text: 'I look.' }), answer('Seen.'));
      await (
        await chat.chat({ content: 'which files?', conversationId })
      ).ended;
      const { messages: last = [], tools } = fake.requests.at(-1)?.body ?? {};
      fake.script(answer('The same.'));
      await (
        await chat.chat({ content: 'and now?', conversationId })
      ).ended;
      const next = fake.requests.at(-1)?.body;
      expect(last.at(-1)).toMatchObject({ role: 'tool' });
      expect(JSON.stringify(next?.messages?.slice(0, last.length))).toBe(JSON.stringify(last));
      expect(next?.messages?.slice(last.length)).toMatchObject([
        { role: 'assistant', content: expect.stringContaining('Seen.') },
        { role: 'user' },
      ]);
      expect(JSON.stringify(next?.tools)).toBe(JSON.stringify(tools));
    });

    it('stores the reply before it tells anybody that the turn is done', async () => {
      fake.script(answer('stored'));
      const conversationId = randomUUID();
      const stream = await chat.chat({ content: 'store?', conversationId });
      await stream.next(isTerminal);
      const { messages, total } = await chat.json(
        `/api/chat/messages?project_id=test&conversation_id=${conversationId}`,
      );
      expect(total).toBe(2);
      expect(messages).toMatchObject([
        { sender: 'orion', content: 'stored' },
        { sender: 'user', content: 'store?' },
      ]);
    });

    it('is started once by fifty equal requests at once', async () => {
      fake.script(answer('only', ' once'));
      const body = { content: 'same', requestId: randomUUID(), conversationId: randomUUID() };
      const streams = await Promise.all(Array.from({ length: 50 }, () => chat.chat(body)));
      await Promise.all(streams.map(({ ended }) => ended));
      for (const { frames } of streams)
        expect(frames).toMatchObject(streams[0]?.frames.map(({ id, data }) => ({ id, data })) ?? []);
      expect(fake.requests).toHaveLength(1);
      const other = await chat.post('/api/chat/messages', { ...body, content: 'another' });
      expect(other.status).toBe(409);
      expect(await other.json()).toMatchObject({ code: 'idempotency_conflict' });
    });

    it('keeps a second turn out of a busy conversation', async () => {
      fake.script(
        { steps: [{ text: 'wait' }, { gate: 'go' }, { finish: 'stop' }, { done: true }] },
        answer('second'),
      );
      const conversationId = randomUUID();
      const first = await chat.chat({ content: 'first', conversationId });
      const second = await chat.post('/api/chat/messages', { content: 'second', conversationId });
      expect(second.status).toBe(409);
      expect(await second.json()).toMatchObject({
        code: 'turn_in_progress',
        details: { turnId: turnIdOf(first) },
      });
      fake.release('go');
      await first.ended;
      const third = await chat.chat({ content: 'third', conversationId });
      await third.ended;
      expect(textOf(third.frames)).toBe('second');
    });

    it('stops on cancel with what was said, and closes the socket to the provider', async () => {
      fake.script(longAnswer(500, 50));
      const stream = await chat.chat({ content: 'long' });
      await stream.next(({ data }) => data['type'] === 'chunk');
      const request = await fake.nextRequest();
      const before = Date.now();
      const cancelled = await chat.request(`/api/turns/${turnIdOf(stream)}/cancel`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
      });
      expect(cancelled.status).toBe(202);
      expect(await request.closed).toBe('left');
      expect((request.ended?.at ?? 0) - before).toBeLessThan(1_000);
      await stream.ended;
      expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, status: 'cancelled' });
      expect(violations(stream.frames)).toEqual([]);
    });
  });

  describe('the history of a turn', () => {
    it('shows its phases by name and holds no system prompt, no earlier message and no key', async () => {
      const conversationId = randomUUID();
      fake.script(
        answer('An earlier reply.'),
        toolCall('FileSystemTool_list_files', { path: '.' }),
        answer('The later reply.'),
      );
      await (
        await chat.chat({ content: 'An earlier question', conversationId })
      ).ended;
      const stream = await chat.chat({ content: 'The later question', conversationId });
      await stream.ended;
      const prompt = String(fake.requests.at(-1)?.body.messages?.[0]?.content);
      expect(prompt.length).toBeGreaterThan(100);
      const { text, summaries } = await readHistory(turnIdOf(stream));
      expect(summaries).toEqual([
        'two_stage · act · test/' + conversationId,
        'action 0 · fake',
        'tool 1 · FileSystemTool.list_files .',
        'action 2 · fake',
        'close turn · completed (answered)',
      ]);
      expect(text.includes('The later question')).toBe(true);
      for (const secret of [prompt.slice(0, 60), 'An earlier question', 'An earlier reply.', API_KEY]) {
        expect({ secret, found: text.includes(secret) }).toEqual({ secret, found: false });
      }
    });
  });

  describe('the temperature of a model call', () => {
    it.each([
      ['warm', 'plan', 1.25],
      ['warm', 'act', 0],
      ['half', 'plan', 0.7],
      ['half', 'act', 2],
      ['test', 'plan', 0.7],
      ['test', 'act', 0.3],
    ])('of project %s in mode %s is %d', async (projectId, mode, temperature) => {
      fake.script(answer('Well.'));
      const stream = await chat.chat({ content: 'How warm?', projectId, mode });
      await stream.ended;
      expect(fake.requests.map(({ body }) => body['temperature'])).toEqual([temperature]);
    });
  });

  describe('dialects of providers', () => {
    const say = (text: string) => ({ frame: { choices: [{ index: 0, delta: { content: text } }] } });
    const frame = (delta: object, finish_reason: string | null = null) => ({
      frame: { choices: [{ index: 0, delta, finish_reason }] },
    });
    const listCall = (...fragments: string[]) =>
      fragments.map((text, i) =>
        frame({
          tool_calls: [
            {
              ...(i === 0 && { id: 'c1', type: 'function' }),
              index: 0,
              function: { ...(i === 0 && { name: 'FileSystemTool_list_files' }), arguments: text },
            },
          ],
        }),
      );
    const dialects: readonly [string, readonly Step[], readonly Step[]][] = [
      [
        'DeepSeek: thoughts beside the text, usage in the last frame',
        [
          { reasoning: 'The user wants a list.', field: 'reasoning_content' },
          ...listCall('{"path"', ':"."}'),
          {
            frame: {
              choices: [{ index: 0, delta: { content: '' }, finish_reason: 'tool_calls' }],
              usage: { prompt_tokens: 9, completion_tokens: 3 },
            },
          },
          { done: true },
        ],
        [
          { reasoning: 'Now answer.', field: 'reasoning_content' },
          say('Listed.'),
          frame({}, 'stop'),
          { done: true },
        ],
      ],
      [
        'OpenRouter: comments while it waits, reasoning, usage with empty choices',
        [
          { comment: ' OPENROUTER PROCESSING' },
          { reasoning: 'Thinking.', field: 'reasoning' },
          ...listCall('{"path":"."}'),
          frame({}, 'tool_calls'),
          { usage: { prompt: 9, completion: 3 } },
          { done: true },
        ],
        [
          { comment: ' OPENROUTER PROCESSING' },
          say('Listed.'),
          frame({ content: '' }, 'stop'),
          { done: true },
        ],
      ],
      [
        'a finished call sent again whole, under its id',
        [...listCall('{"path":"."}'), ...listCall('{"path":"."}'), frame({}, 'tool_calls'), { done: true }],
        [say('Listed.'), frame({}, 'stop'), { done: true }],
      ],
      [
        'vLLM: arguments resent whole with each delta, content null',
        [
          frame({ role: 'assistant', content: null }),
          ...listCall('{', '{"path"', '{"path":"."', '{"path":"."}'),
          frame({ content: null }, 'tool_calls'),
          { done: true },
        ],
        [frame({ role: 'assistant' }), say('Listed.'), frame({}, 'stop'), { done: true }],
      ],
    ];
    it.each(dialects)('%s', async (_name, calling, answering) => {
      fake.script({ steps: calling }, { steps: answering });
      const stream = await chat.chat({ content: 'list' });
      await stream.ended;
      expect(violations(stream.frames)).toEqual([]);
      expect(stream.frames.filter(({ data }) => data['type'] === 'tool_result')).toHaveLength(1);
      expect(stream.frames.at(-1)?.data).toMatchObject({
        done: true,
        fullContent: 'Listed.',
        reason: 'answered',
      });
    });
  });

  describe('a provider that fails', () => {
    const failing: readonly [string, string, number, () => void][] = [
      ['401', 'model_auth', 1, () => fake.script(refusal(401, { message: 'bad key' }))],
      ['404', 'model_bad_request', 1, () => fake.script(refusal(404, { message: 'no such model' }))],
      [
        'a context that is too long',
        'model_context_length',
        1,
        () => fake.script(refusal(400, { message: 'too long', code: 'context_length_exceeded' })),
      ],
      [
        '500 again and again',
        'model_unavailable',
        3,
        () => fake.rules({ responses: [refusal(500, { message: 'oops' })], repeat: true }),
      ],
      [
        '429 again and again',
        'model_rate_limited',
        3,
        () =>
          fake.rules({
            responses: [refusal(429, { message: 'slow', type: 'rate' }, { 'retry-after': '0' })],
            repeat: true,
          }),
      ],
      [
        'a stall',
        'model_unavailable',
        3,
        () => fake.rules({ responses: [{ steps: [{ text: 'a' }, { stall: true }] }], repeat: true }),
      ],
      [
        'a stream without an end',
        'model_unavailable',
        3,
        () => fake.rules({ responses: [{ steps: [{ text: 'cut' }] }], repeat: true }),
      ],
    ];
    it.each(failing)(
      '%s ends the turn with %s, and the conversation goes on',
      async (_name, code, requests, script) => {
        script();
        const conversationId = randomUUID();
        const stream = await chat.chat({ content: 'fail', conversationId });
        await stream.ended;
        expect(stream.frames.at(-1)?.data).toMatchObject({ type: 'error', code });
        expect(fake.requests).toHaveLength(requests);
        expect(violations(stream.frames)).toEqual([]);
        fake.clear();
        fake.script(answer('again'));
        const next = await chat.chat({ content: 'next', conversationId });
        await next.ended;
        expect(next.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: 'again' });
      },
      20_000,
    );

    it.each([
      ['a reset after some bytes', { ...answer('half of the ans', 'wer'), resetAfterBytes: 200 }],
      ['a 503', refusal(503, { message: 'busy' })],
      ['a 429 with Retry-After', refusal(429, { message: 'slow down' }, { 'retry-after': '1' })],
    ])(
      '%s once is repeated, and readers see the dead text withdrawn',
      async (_name, failure) => {
        fake.script(failure, answer('the ', 'whole answer'));
        const stream = await chat.chat({ content: 'retry' });
        await stream.ended;
        expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: 'the whole answer' });
        expect(violations(stream.frames)).toEqual([]);
        expect(fake.requests).toHaveLength(2);
      },
      20_000,
    );
  });
};
