import { describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import type { ModelStopReason, StreamOptions } from '../../../src/contracts/model/stream-options.ts';
import { MAX_CALLS_PER_ANSWER, type ToolCall } from '../../../src/contracts/tools/tool-call.ts';
import { type ModelAnswer, ModelCallError, type ModelPort } from '../../../src/protocol/ports/model-port.ts';
import { toolCall } from '../../support/fake-ports.ts';

/** What the model does in the only call of a test. */
export interface ModelDeed {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  /** Why its stream was cut. Absent for a stream that came to its end. */
  readonly cut?: Extract<ModelStopReason, 'time' | 'cancelled'>;
  /** True when the provider fails for good after the text. */
  readonly fails?: true;
}

/** Returns options of a call whose text follows an earlier text of the turn. */
export const callOptions = (): StreamOptions => ({
  stopAt: 'end',
  lead: '\n\n',
  deadline: Date.now() + 60_000,
  tokenBudget: 100_000,
  tools: true,
  temperature: 0.3,
  maxTokens: 1_000,
});

const MESSAGES: readonly ModelMessage[] = [{ role: 'user', content: 'Question' }];

/** Resolves to the text and the error of a call that failed for good, whichever way the port reports it. */
const failureOf = async (answer: Promise<ModelAnswer>): Promise<{ text?: string; error: unknown }> => {
  try {
    const { text, error, calls } = await answer;
    expect(calls).toEqual([]);
    return { text, error };
  } catch (error) {
    return { error };
  }
};

/** Describes what the core relies on when it calls a model. `open` is called once in each test. */
export const describeModelPort = (name: string, open: (deed: ModelDeed) => Promise<ModelPort>): void => {
  const answerTo = async (deed: ModelDeed): Promise<ModelAnswer> =>
    (await open(deed)).callModel(MESSAGES, callOptions());

  describe(`the port of the model: ${name}`, () => {
    it('resolves with the whole text that was shown, its lead included', async () => {
      const answer = await answerTo({ text: 'Hello there.' });
      expect(answer).toMatchObject({
        text: '\n\nHello there.',
        calls: [],
        hasTooManyCalls: false,
        end: 'stop',
      });
      expect(answer.error).toBeUndefined();
      expect(answer).not.toHaveProperty('leftOut');
    });

    it('resolves with the calls, each whole, and with the usage', async () => {
      const calls = [
        toolCall('Files_read', { path: 'a' }, 'c1'),
        toolCall('Files_read', { path: 'b' }, 'c2'),
      ];
      const { calls: read, text, usage } = await answerTo({ calls });
      expect(read).toEqual(calls);
      expect(text).toBe('');
      expect(usage).toMatchObject({ promptTokens: expect.any(Number), completionTokens: expect.any(Number) });
    });

    it.each([
      [MAX_CALLS_PER_ANSWER, false],
      [MAX_CALLS_PER_ANSWER + 1, true],
    ])('says of %s calls whether they are too many: %s', async (count, isMore) => {
      const calls = Array.from({ length: count }, (_, i) =>
        toolCall('Files_read', { path: `${i}` }, `c${i}`),
      );
      expect((await answerTo({ calls })).hasTooManyCalls).toBe(isMore);
    });

    it.each(['time', 'cancelled'] as const)(
      'says that a call was cut, and keeps its text: %s',
      async (cut) => {
        expect(await answerTo({ text: 'So far', cut })).toMatchObject({ text: '\n\nSo far', end: cut });
      },
    );

    it('reports a call that failed for good by its code, and keeps the text before it', async () => {
      const { text, error } = await failureOf(answerTo({ text: 'I was ab', fails: true }));
      expect(error).toBeInstanceOf(ModelCallError);
      expect(error).toMatchObject({ code: 'model_unavailable' });
      if (text !== undefined) expect(text).toBe('\n\nI was ab');
    });
  });
};

/** Messages of a turn that has read a file. */
const READ: readonly ModelMessage[] = [
  ...MESSAGES,
  { role: 'assistant', content: '', tool_calls: [toolCall('Files_read', { path: 'a' })] },
  { role: 'tool', tool_call_id: 'call_1', content: 'the text of a' },
];

/** Describes what the core relies on when a prompt leaves out the message with this index. */
export const describeLeftOut = (name: string, open: (index: number) => Promise<ModelPort>): void => {
  it(`the port of the model (${name}) names what the prompt left out by its index in the messages`, async () => {
    const model = await open(2);
    expect((await model.callModel(READ, callOptions())).leftOut).toEqual([2]);
  });
};
