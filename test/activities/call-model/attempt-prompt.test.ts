/** Tests what an attempt of a model call sends when the turn has outgrown its window, to a provider over real HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { startFakeModel, type FakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, refusal } from '../../support/fake-model/responses.ts';
import { modelInput } from '../support/activity-inputs.ts';
import { ModelAttempt } from '../support/model-attempt.ts';

let fake: FakeModel;
beforeAll(async () => {
  fake = await startFakeModel();
});
afterAll(() => fake.close());
afterEach(() => fake.clear());

const KIB = 1_024;

const stepOf = (step: number, result: string) => {
  const call = {
    id: `c${step}`,
    type: 'function' as const,
    function: { name: 'Files_read', arguments: '{}' },
  };
  const messages: ModelMessage[] = [
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: `c${step}`, content: result },
  ];
  return { step, messages };
};

/** Returns the third model call of a turn that has read two files of 8 KiB, in a conversation with one earlier turn. */
const attemptOf = (room: number): ModelAttempt => {
  const attempt = new ModelAttempt(fake.baseUrl, { epoch: 301 });
  attempt.room = room;
  attempt.earlier = {
    ...attempt.earlier,
    system: [{ role: 'system', content: 'You are Orion.' }],
    turns: [
      [
        { role: 'user', content: 'before' },
        { role: 'assistant', content: 'Yes.' },
      ],
    ],
  };
  attempt.steps = [
    { step: 1, messages: [{ role: 'user', content: 'question' }] },
    stepOf(2, 'x'.repeat(8 * KIB)),
    stepOf(3, 'y'.repeat(8 * KIB)),
  ];
  return attempt;
};

const input = modelInput({ step: 3 });
const first = { turns: 1, results: [{ step: 2, at: 1 }] };
const tooLong = refusal(400, { message: 'Too long', code: 'context_length_exceeded' });

/** Returns the tool results in the next request to the provider, each cut to its first 20 characters. */
const nextResults = async (): Promise<readonly unknown[]> => {
  const { body } = await fake.nextRequest();
  const { messages } = body as { messages: { role: string; content: string }[] };
  return messages.flatMap(({ role, content }) => (role === 'tool' ? [content.slice(0, 20)] : []));
};

const whole = ['x'.repeat(20), 'y'.repeat(20)];
const halved = ['[left out: 8 KiB]', 'y'.repeat(20)];

describe('a prompt that does not fit into the window', () => {
  it('is sent without the oldest result, which is first stored and reported to the workflow', async () => {
    fake.script(answer('x'));
    const attempt = attemptOf(3_000);
    const { outcome } = await attempt.run(input);
    expect(await nextResults()).toEqual(halved);
    expect(attempt.leftOut).toEqual([first]);
    expect(outcome).toMatchObject({ kind: 'ended', leftOut: first.results });
    expect(attempt.traces.map(({ type, details }) => [type, details])).toEqual([
      ['llm_call', expect.objectContaining({ leftOut: first })],
      ['llm_result', expect.objectContaining({ leftOut: first })],
    ]);
  });

  it('a prompt that fits is sent whole, and nothing is stored or reported as left out', async () => {
    fake.script(answer('x'));
    const attempt = attemptOf(96_000);
    const { outcome } = await attempt.run(input);
    expect(await nextResults()).toEqual(whole);
    expect(attempt.leftOut).toEqual([]);
    expect(outcome).not.toHaveProperty('leftOut');
  });

  it('goes by the window of a model that has taken over', async () => {
    fake.script(answer('x'));
    const attempt = attemptOf(96_000);
    const { outcome } = await attempt.run({ ...input, maxPromptTokens: 3_000 });
    expect(outcome).toMatchObject({ kind: 'ended', leftOut: first.results });
  });
});

describe('a prompt that the provider finds too long', () => {
  it('is halved and sent once more, within the same attempt', async () => {
    fake.script(tooLong, answer('x'));
    const attempt = attemptOf(96_000);
    const { outcome } = await attempt.run(input);
    expect(outcome).toMatchObject({ kind: 'ended', end: 'stop', leftOut: first.results });
    expect([await nextResults(), await nextResults()]).toEqual([whole, halved]);
    expect(attempt.traces.map(({ type, details }) => [type, details])).toEqual([
      ['llm_call', expect.not.objectContaining({ leftOut: first })],
      ['system_error', expect.objectContaining({ code: 'model_context_length', final: false })],
      ['llm_result', expect.objectContaining({ leftOut: first })],
    ]);
  });

  it('is halved once: the second refusal is the end', async () => {
    fake.script(tooLong, tooLong);
    const attempt = attemptOf(96_000);
    const { outcome } = await attempt.run(input);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'model_context_length' });
    expect(attempt.traces.at(-1)).toMatchObject({ details: { final: true } });
  });

  it('is not sent again if nothing of it can be left out', async () => {
    fake.script(tooLong);
    const attempt = new ModelAttempt(fake.baseUrl);
    const { outcome } = await attempt.run();
    expect(outcome).toMatchObject({ kind: 'failed', code: 'model_context_length' });
    expect(attempt.leftOut).toEqual([]);
  });

  it('is not halved for another refusal', async () => {
    fake.script(refusal(400, { message: 'No such tool' }));
    const attempt = attemptOf(96_000);
    expect((await attempt.run(input)).outcome).toMatchObject({ kind: 'failed', code: 'model_bad_request' });
    expect(attempt.leftOut).toEqual([]);
  });
});
