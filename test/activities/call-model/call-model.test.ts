/** Tests one attempt of a model call against a scripted provider over real HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { expandBatch } from '../../../src/protocol/event-log/event-log.ts';
import { eventually } from '../../support/eventually.ts';
import { startFakeModel, type FakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, longAnswer, refusal, answerWithCall } from '../../support/fake-model/responses.ts';
import { modelInput } from '../support/activity-inputs.ts';
import { chunkTexts, ModelAttempt } from '../support/model-attempt.ts';

let fake: FakeModel;
beforeAll(async () => {
  fake = await startFakeModel();
});
afterAll(() => fake.close());
afterEach(() => fake.clear());

const gated = {
  steps: [{ text: 'said' }, { gate: 'go' }, { text: ' more' }, { finish: 'stop' }, { done: true }],
} as const;

/** Returns `count` different characters of three bytes each. */
const threeByteCharacters = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => String.fromCodePoint(0x4e00 + (((from + i) * 7919) % 20_000))).join(
    '',
  );

/** Resolves when the provider has been asked and its first text has been passed on. */
const untilFirstText = async (attempt: ModelAttempt) => {
  const request = await fake.nextRequest();
  await eventually('the first text', () => chunkTexts(attempt.lane).length > 0);
  return request;
};

describe('callModel', () => {
  it('sends every event to the lane, and all of them durably, under the ids of its epoch', async () => {
    fake.script(answer('Hello', ' world'));
    const attempt = new ModelAttempt(fake.baseUrl);
    const { outcome, tail } = await attempt.run();
    expect(outcome).toMatchObject({ kind: 'ended', end: 'stop', calls: [], usage: { completionTokens: 20 } });
    const written = attempt.lane.slice(1);
    expect(written.map(({ id }) => id)).toEqual([
      { epoch: 101, seq: 2 },
      { epoch: 101, seq: 3 },
    ]);
    expect(written[0]?.after).toBe('0-1');
    const durable = new Map(
      [...attempt.signalled, ...tail.flatMap(expandBatch)].map((event) => [event.id.seq, event]),
    );
    expect([...durable.values()]).toEqual(written);
    expect(attempt.segments.get(101)?.flatMap(expandBatch)).toEqual(written);
  });

  it('brings what the workflow wrote before to the lane first', async () => {
    fake.script(answer('x'));
    const attempt = new ModelAttempt(fake.baseUrl);
    await attempt.run();
    expect(attempt.lane[0]).toMatchObject({ id: { epoch: 0, seq: 1 }, event: { type: 'phase' } });
  });

  it('stops at the first complete call and never shows what comes after it', async () => {
    fake.script({
      steps: [
        { text: 'look: ' },
        {
          calls: [
            {
              index: 0,
              id: 'a',
              type: 'function',
              function: { name: 'read_file', arguments: '{"path":"x"}' },
            },
          ],
        },
        { calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'read_file', arguments: '' } }] },
        { text: 'hidden' },
        { stall: true },
      ],
    });
    const attempt = new ModelAttempt(fake.baseUrl);
    const { outcome } = await attempt.run();
    expect(outcome).toMatchObject({ kind: 'ended', end: 'tool_calls' });
    expect(chunkTexts(attempt.lane)).toEqual(['look: ']);
    expect(await fake.requests[0]?.closed).toBe('left');
  });

  it('withdraws the text of earlier attempts before it opens its own model call', async () => {
    fake.script(answer('again'));
    const attempt = new ModelAttempt(fake.baseUrl, { epoch: 102 });
    await attempt.run();
    expect(attempt.signalled[0]).toEqual({
      id: { epoch: 102, seq: 1 },
      after: '0-1',
      event: { type: 'reset', fromSeq: 2 },
    });
    expect(attempt.lane.slice(1).map(({ id }) => id.seq)).toEqual([1, 2]);
  });

  it('returns what was said when a user cancels, and closes the socket', async () => {
    fake.script(longAnswer(1_000, 100));
    const attempt = new ModelAttempt(fake.baseUrl);
    const running = attempt.run();
    const request = await untilFirstText(attempt);
    attempt.cancelByUser();
    const { outcome } = await running;
    expect(outcome).toMatchObject({ kind: 'ended', end: 'cancelled' });
    expect(attempt.segments.get(101)?.flatMap(expandBatch)).toEqual(attempt.lane.slice(1));
    expect(await request.closed).toBe('left');
  });

  it('hears a cancel over the lane as well', async () => {
    fake.script(gated);
    const attempt = new ModelAttempt(fake.baseUrl);
    const running = attempt.run();
    await untilFirstText(attempt);
    attempt.control('cancel');
    expect((await running).outcome).toMatchObject({ end: 'cancelled' });
  });

  it('ends for a message of the user, over the lane, if it is this call that is meant', async () => {
    fake.script(longAnswer(1_000, 100));
    const attempt = new ModelAttempt(fake.baseUrl);
    const running = attempt.run();
    const request = await untilFirstText(attempt);
    attempt.control({ interrupt: 2 });
    attempt.control({ interrupt: 1 });
    const { outcome } = await running;
    expect(outcome).toMatchObject({ kind: 'ended', end: 'steered' });
    expect(await request.closed).toBe('left');
  });

  it('stops reading at the deadline, and keeps what was said', async () => {
    fake.script(gated);
    const attempt = new ModelAttempt(fake.baseUrl);
    const input = modelInput();
    const { outcome } = await attempt.run({
      ...input,
      options: { ...input.options, deadline: Date.now() + 300 },
    });
    expect(outcome).toMatchObject({ kind: 'ended', end: 'time' });
    expect(chunkTexts(attempt.lane)).toEqual(['said']);
  });

  it.each([
    ['worker shutdown', (attempt: ModelAttempt) => attempt.shutDownWorker(), 'the attempt was interrupted'],
    ['a later attempt', (attempt: ModelAttempt) => attempt.control('fenced'), 'a later attempt has begun'],
  ])('throws on %s, so that its text is not taken for an answer', async (_name, interrupt, message) => {
    fake.script(gated);
    const attempt = new ModelAttempt(fake.baseUrl);
    const running = attempt.run();
    const request = await untilFirstText(attempt);
    interrupt(attempt);
    await expect(running).rejects.toThrow(message);
    expect(await request.closed).toBe('left');
    expect(attempt.segments.size).toBe(0);
  });

  it('gives up when the workflow is gone: nobody pays for an answer that nobody reads', async () => {
    fake.script(longAnswer(1_000, 100));
    const attempt = new ModelAttempt(fake.baseUrl);
    attempt.workflow = 'gone';
    await expect(attempt.run()).rejects.toMatchObject({ type: 'turn_superseded', nonRetryable: true });
    expect(await fake.requests[0]?.closed).toBe('left');
  });

  it('may not act for a run that a reset has started', async () => {
    const attempt = new ModelAttempt(fake.baseUrl, { runId: 'another-run' });
    await expect(attempt.run()).rejects.toMatchObject({ type: 'turn_superseded' });
    expect(fake.requests).toHaveLength(0);
  });

  it('goes on while Temporal cannot be reached, and holds its result until then: the SDK would drop it', async () => {
    fake.script(answer('a', 'b', 'c'));
    const attempt = new ModelAttempt(fake.baseUrl);
    attempt.workflow = 'unreachable';
    let returned = false;
    const result = attempt.run().finally(() => (returned = true));
    await eventually('a second question to Temporal', () => attempt.questions >= 2);
    expect(returned).toBe(false);
    attempt.workflow = 'stored';
    const { tail } = await result;
    expect(chunkTexts(tail.flatMap(expandBatch)).join('')).toBe('abc');
  });

  it('waits for Postgres after a cancel, too, and keeps what was said', async () => {
    fake.script(gated);
    const attempt = new ModelAttempt(fake.baseUrl);
    attempt.segmentFailures.push(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    const result = attempt.run();
    await untilFirstText(attempt);
    attempt.cancelByUser();
    expect((await result).outcome).toMatchObject({ kind: 'ended', end: 'cancelled' });
    expect(attempt.segments.has(101)).toBe(true);
  });

  it('waits for Postgres instead of asking the model a second time', async () => {
    fake.script(answer('expensive'));
    const attempt = new ModelAttempt(fake.baseUrl);
    attempt.segmentFailures.push(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    await attempt.run();
    expect(fake.requests).toHaveLength(1);
    expect(attempt.segments.size).toBe(1);
  });
});

describe('callModel with a provider that fails', () => {
  it('lets Temporal repeat a passing failure, after the time the provider asked for', async () => {
    fake.script(refusal(429, { message: 'slow down' }, { 'retry-after': '2' }));
    const attempt = new ModelAttempt(fake.baseUrl);
    await expect(attempt.run()).rejects.toMatchObject({ type: 'model_rate_limited', nextRetryDelay: 2000 });
    expect(attempt.heartbeats).toContainEqual({ providerErrors: 1 });
  });

  it('counts the prompt of a call that failed for good, to decide whether another model can take over', async () => {
    fake.script(refusal(503, { message: 'down' }));
    const attempt = new ModelAttempt(fake.baseUrl, { epoch: 103, heartbeatDetails: { providerErrors: 2 } });
    expect((await attempt.run()).outcome).toMatchObject({ code: 'model_unavailable', promptTokens: 6 });
  });

  it('announces a model that takes over after the reset, and in the trace', async () => {
    fake.script(answer('Hello'));
    const attempt = new ModelAttempt(fake.baseUrl, { epoch: 102 });
    await attempt.run(modelInput({ model: 'spare', insteadOf: 'fake', maxPromptTokens: 6 }));
    const [reset, notice] = attempt.lane.slice(1).map(({ event }) => event);
    expect(reset).toEqual({ type: 'reset', fromSeq: 2 });
    expect(notice).toEqual({
      type: 'chunk',
      content: '\n\n**System Notice**: The model fake is not available; spare answers.\n\n',
      notice: 'model_fallback',
    });
    expect(chunkTexts(attempt.lane).slice(1)).toEqual(['Hello']);
    expect(attempt.traces[0]).toMatchObject({
      type: 'llm_call',
      details: { model: 'spare', insteadOf: 'fake' },
    });
  });

  it('does not ask a model that took over when the prompt has outgrown its window', async () => {
    const attempt = new ModelAttempt(fake.baseUrl);
    const { outcome } = await attempt.run(modelInput({ model: 'spare', maxPromptTokens: 5 }));
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'model_unavailable',
      message: 'The prompt has about 6 tokens, and spare takes 5.',
      promptTokens: 6,
    });
    expect(fake.requests).toHaveLength(0);
  });

  it('gives up at the third failure over all attempts', async () => {
    fake.script(refusal(500, { message: 'oops' }));
    const attempt = new ModelAttempt(fake.baseUrl, { epoch: 103, heartbeatDetails: { providerErrors: 2 } });
    expect((await attempt.run()).outcome).toMatchObject({ kind: 'failed', code: 'model_unavailable' });
  });

  it('gives up at once when repeating cannot help, and keeps what was said', async () => {
    fake.script({
      steps: [
        { text: 'half' },
        { frame: { error: { message: 'context_length_exceeded', code: 'context_length_exceeded' } } },
      ],
    });
    const attempt = new ModelAttempt(fake.baseUrl);
    const { outcome } = await attempt.run();
    expect(outcome).toMatchObject({ kind: 'failed', code: 'model_context_length' });
    expect(
      attempt.segments
        .get(101)
        ?.flatMap(expandBatch)
        .map(({ event }) => event),
    ).toEqual([{ type: 'chunk', content: 'half' }]);
  });

  it('gives up when the provider asks to wait past the end of the turn', async () => {
    fake.script(refusal(429, { message: 'tomorrow' }, { 'retry-after': '3600' }));
    const attempt = new ModelAttempt(fake.baseUrl);
    expect((await attempt.run()).outcome).toMatchObject({ kind: 'failed', code: 'model_rate_limited' });
  });

  it('offers no tools for a forced answer and ignores calls that come nevertheless', async () => {
    fake.script(answerWithCall('read_file', { path: 'x' }, { text: 'final' }));
    const attempt = new ModelAttempt(fake.baseUrl);
    const input = modelInput();
    const { outcome } = await attempt.run({ ...input, options: { ...input.options, tools: false } });
    expect(fake.requests[0]?.body.tools).toBeUndefined();
    expect(outcome).toMatchObject({ kind: 'ended', calls: [] });
    expect(chunkTexts(attempt.lane)).toEqual(['final']);
  });

  it('cuts an answer that no payload of Temporal could carry: characters may take three bytes', async () => {
    fake.script({
      steps: Array.from({ length: 60 }, (_, i) => ({ text: threeByteCharacters(i * 10_000, 10_000) })),
    });
    const attempt = new ModelAttempt(fake.baseUrl);
    const input = modelInput();
    const result = await attempt.run({ ...input, options: { ...input.options, tokenBudget: 200_000 } });
    expect(result.outcome).toMatchObject({ kind: 'ended', end: 'tokens' });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(2 * 1024 * 1024);
  });
});
