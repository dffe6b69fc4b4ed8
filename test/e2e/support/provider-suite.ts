import { describe, expect, it } from '@jest/globals';
import type { FakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, refusal } from '../../support/fake-model/responses.ts';
import type { Step } from '../../support/fake-model/script.ts';
import { violations } from '../../support/recording-check.ts';
import { failsFor, type TurnsInUse } from './turn-suite.ts';

/** What providers are asked, say and do, in whole turns. Workers read it, however its events reach a reader. */
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
