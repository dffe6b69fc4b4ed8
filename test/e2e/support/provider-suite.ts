import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeModel } from '../../support/fake-model/fake-model.ts';
import type { ChatRequest } from '../../support/fake-model/rule-book.ts';
import { answer, refusal, answerWithCall } from '../../support/fake-model/responses.ts';
import type { Step } from '../../support/fake-model/script.ts';
import { eventually } from '../../support/eventually.ts';
import { violations } from '../../support/recording-check.ts';
import { SUMMARY_PROMPT_START } from '../../../src/contracts/model/prompt-marks.ts';
import { failsFor, type TurnsInUse } from './turn-suite.ts';

interface ShownMessage {
  readonly role: string;
  readonly content: string;
}

/** Returns a message of a request in the form of the route that shows prompts. */
const shownMessage = (message: NonNullable<ChatRequest['messages']>[number]): ShownMessage => {
  const {
    role,
    content,
    tool_calls: calls = [],
  } = message as typeof message & {
    readonly tool_calls?: { function: { name: string; arguments: string } }[];
  };
  const texts = calls.map(({ function: { name, arguments: args } }) => `${name} ${args}`);
  const shown = [String(content ?? ''), ...texts].filter((text) => text !== '').join('\n');
  return { role, content: shown.slice(0, 16_000) };
};

/**
 * Tests what providers are asked, answer and do in whole turns. How events reach readers makes no difference, because
 * workers read the answers.
 */
export const providerSuite = (turns: TurnsInUse): void => {
  describe('the temperature of a model call', () => {
    it.each([
      ['warm', 'plan', 1.25],
      ['warm', 'act', 0],
      ['half', 'plan', 0.7],
      ['half', 'act', 2],
      ['test', 'plan', 0.7],
      ['test', 'act', 0.3],
    ])('of project %s in mode %s is %d', async (projectId, mode, temperature) => {
      turns.fake.script(answer('Well.'));
      const stream = await turns.chat.chat({ content: 'How warm?', projectId, mode });
      await stream.ended;
      expect(turns.fake.requests.map(({ body }) => body['temperature'])).toEqual([temperature]);
    });
  });

  it('gets a turn of 40 long reads, which outgrows its window, without the oldest of them', async () => {
    const conversationId = randomUUID();
    writeFileSync(join(turns.workspace, 'long.txt'), `${'x'.repeat(99)}\n`.repeat(400));
    const read = (start_line: number) =>
      answerWithCall('FileSystemTool_read_file', { path: 'long.txt', start_line });
    // The turn fills its window, so its summary begins when it ends, before or after the next prompt.
    const summary: Step[] = [{ gate: 'asked' }, { text: 'It was long.' }, { finish: 'stop' }, { done: true }];
    turns.fake.rules({
      match: { includes: SUMMARY_PROMPT_START },
      responses: [{ steps: summary }],
      repeat: true,
    });
    const summarises = ({ body }: { readonly body: ChatRequest }): boolean =>
      JSON.stringify(body.messages).includes(SUMMARY_PROMPT_START);
    const asked = () => turns.fake.requests.filter((request) => !summarises(request));
    turns.fake.script(...Array.from({ length: 40 }, (_, i) => read(i + 1)), read(1), answer('All read.'));
    const metadata = { maxPhaseCycles: 50 };
    const stream = await turns.chat.chat({ content: 'read it', conversationId, metadata });
    await stream.ended;
    expect(stream.frames.at(-1)?.data).toMatchObject({ reason: 'answered', fullContent: 'All read.' });
    const ran = stream.frames.filter(({ data }) => data['type'] === 'tool_result');
    expect(ran).toHaveLength(41);
    expect(asked()).toHaveLength(42);
    for (const { body } of asked()) {
      expect(Buffer.byteLength(JSON.stringify(body.messages)) / 4).toBeLessThan(100_000);
    }
    const results = (asked().at(-1)?.body.messages ?? []).flatMap((message) =>
      message.role === 'tool' ? [String(message.content)] : [],
    );
    expect(results).toHaveLength(41);
    expect(results.slice(0, 4)).toEqual(Array<string>(4).fill('[left out: 28 KiB]'));
    expect(results.at(-1)).toContain('1\txxx');
    const turnId = stream.response.headers.get('x-turn-id');
    for (const step of [1, 2, 30, 42]) {
      const path = `/api/turns/${turnId}/prompts/${step}?limit=100&characters=16000`;
      const { blocks } = await turns.chat.json(path);
      expect((blocks as ShownMessage[]).map(({ role, content }) => ({ role, content }))).toEqual(
        asked()[step - 1]?.body.messages?.map(shownMessage),
      );
    }

    turns.fake.script(answer('Yes.'));
    await (
      await turns.chat.chat({ content: 'was that all?', conversationId })
    ).ended;
    expect(String(asked().at(-1)?.body.messages?.[1]?.content)).toMatch(
      /^\[Earlier messages of this conversation are left out:[^]*was that all\?$/,
    );

    turns.fake.release('asked');
    await eventually('the summary in the next prompt', async () => {
      const path = `/api/conversations/${conversationId}/context?projectId=test`;
      return (await (await turns.chat.request(path)).text()).includes('It was long.');
    });
    turns.fake.script(answer('Long.'));
    await (
      await turns.chat.chat({ content: 'what was it?', conversationId })
    ).ended;
    expect(String(asked().at(-1)?.body.messages?.[1]?.content)).toMatch(
      /^\[Earlier[^]*\n {4}It was long\.\n\[end of the summary\]\n[^]*was that all\?$/,
    );
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
      turns.fake.script({ steps: calling }, { steps: answering });
      const stream = await turns.chat.chat({ content: 'list' });
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
    const failing: readonly [string, string, number, (fake: FakeModel) => void][] = [
      ['404', 'model_bad_request', 1, (fake) => fake.script(refusal(404, { message: 'no such model' }))],
      [
        'a context that is too long',
        'model_context_length',
        1,
        (fake) => fake.script(refusal(400, { message: 'too long', code: 'context_length_exceeded' })),
      ],
      [
        '500 again and again',
        'model_unavailable',
        3,
        (fake) => fake.rules({ responses: [refusal(500, { message: 'oops' })], repeat: true }),
      ],
      [
        '429 again and again',
        'model_rate_limited',
        3,
        (fake) =>
          fake.rules({
            responses: [refusal(429, { message: 'slow', type: 'rate' }, { 'retry-after': '0' })],
            repeat: true,
          }),
      ],
      [
        'a stall',
        'model_unavailable',
        3,
        (fake) => fake.rules({ responses: [{ steps: [{ text: 'a' }, { stall: true }] }], repeat: true }),
      ],
      [
        'a stream without an end',
        'model_unavailable',
        3,
        (fake) => fake.rules({ responses: [{ steps: [{ text: 'cut' }] }], repeat: true }),
      ],
    ];
    it.each(failing)(
      '%s ends the turn with %s, and the conversation goes on',
      (_name, code, requests, script) => failsFor(turns, code, requests, script),
    );
  });
};
