/** Tests what one attempt of a model call costs, against a scripted provider over real HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { startFakeModel, type FakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, refusal } from '../../support/fake-model/responses.ts';
import { modelInput } from '../support/activity-inputs.ts';
import { chunkTexts, ModelAttempt } from '../support/model-attempt.ts';

let fake: FakeModel;
beforeAll(async () => {
  fake = await startFakeModel();
});
afterAll(() => fake.close());
afterEach(() => fake.clear());

/** A token of the prompt costs 1 millionth, a token of output 10 millionths. */
const prices = new Map([['fake', { input: 1e6, cached: 0, cacheWrite: 1e6, output: 10e6 }]]);
const priced = (options: ConstructorParameters<typeof ModelAttempt>[1] = {}): ModelAttempt => {
  const attempt = new ModelAttempt(fake.baseUrl, options);
  attempt.prices = prices;
  return attempt;
};
/** The tokens of `Hello?` and of the JSON around it, estimated from their bytes. */
const PROMPT_TOKENS = 6;
const MAX_TOKENS = 100;

const untilFirstText = async (attempt: ModelAttempt): Promise<void> => {
  await eventually('the first text', () => chunkTexts(attempt.lane).length > 0);
};

describe('an attempt', () => {
  it('reserves its prompt and the longest answer, and settles what the provider counted', async () => {
    fake.script(answer('Hello'));
    const attempt = priced();
    await attempt.run();
    const maxCost = PROMPT_TOKENS + MAX_TOKENS * 10;
    expect(attempt.reserved).toMatchObject([{ epoch: 101, step: 1, promptCost: PROMPT_TOKENS, maxCost }]);
    // The provider reports 100 tokens of prompt and 20 of output.
    expect(attempt.settled).toEqual([{ epoch: 101, cost: 300 }]);
    expect(attempt.costs).toEqual([{ cost: 300, wasted: false }]);
    expect(attempt.traces.find(({ type }) => type === 'llm_result')?.details).toMatchObject({ cost: 300 });
  });

  it('of a model without a price reserves nothing', async () => {
    fake.script(answer('Hello'));
    const attempt = new ModelAttempt(fake.baseUrl);
    await attempt.run();
    expect([attempt.reserved, attempt.settled, attempt.costs]).toEqual([[], [], []]);
  });

  it('that the provider refuses costs nothing, and is repeated as waste', async () => {
    fake.script(refusal(503, { message: 'busy' }));
    const attempt = priced();
    await expect(attempt.run()).rejects.toMatchObject({ type: 'model_unavailable', nonRetryable: false });
    expect(attempt.settled).toEqual([{ epoch: 101, cost: 0 }]);
    expect(attempt.costs).toEqual([{ cost: 0, wasted: true }]);
  });

  it('that is cut costs its prompt and what was streamed', async () => {
    fake.script({ steps: [{ text: 'x'.repeat(40) }, { stall: true }] });
    const attempt = priced();
    const running = attempt.run();
    await untilFirstText(attempt);
    attempt.shutDownWorker();
    await expect(running).rejects.toThrow('interrupted');
    expect(attempt.settled).toEqual([{ epoch: 101, cost: PROMPT_TOKENS + 100 }]);
    expect(attempt.costs).toEqual([{ cost: PROMPT_TOKENS + 100, wasted: true }]);
  });

  it('that a user cancels is settled in the same way, and is no waste', async () => {
    fake.script({ steps: [{ text: 'x'.repeat(40) }, { stall: true }] });
    const attempt = priced();
    const running = attempt.run();
    await untilFirstText(attempt);
    attempt.cancelByUser();
    await running;
    expect(attempt.costs).toEqual([{ cost: PROMPT_TOKENS + 100, wasted: false }]);
  });

  it('passes on to its reservation what the previous attempt had streamed by its last heartbeat', async () => {
    fake.script(answer('x'));
    const attempt = priced({ epoch: 102, heartbeatDetails: { providerErrors: 0, seen: { 101: 7, x: 'y' } } });
    await attempt.run();
    expect(attempt.reserved).toMatchObject([{ epoch: 102, seen: { 101: 7 } }]);
  });

  it('for which no budget is left is not made, and says so', async () => {
    const attempt = priced();
    attempt.reservation = 'over_budget';
    const { outcome } = await attempt.run();
    expect(outcome).toMatchObject({ kind: 'ended', end: 'cost', calls: [] });
    expect(fake.requests).toHaveLength(0);
    expect(attempt.settled).toEqual([]);
  });

  it('of a turn with a budget is not made without a price', async () => {
    const attempt = new ModelAttempt(fake.baseUrl);
    const { outcome } = await attempt.run(modelInput({ isBudgeted: true }));
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('ORION_PRICES_FILE') });
    expect(fake.requests).toHaveLength(0);
  });

  it('of a model that took over is reserved and settled by the price of that model', async () => {
    fake.script(answer('Hello'));
    const attempt = priced({ epoch: 102 });
    attempt.prices = new Map([
      ...prices,
      ['spare', { input: 2e6, cached: 0, cacheWrite: 2e6, output: 20e6 }],
    ]);
    await attempt.run(modelInput({ model: 'spare', insteadOf: 'fake', isBudgeted: true }));
    const maxCost = 2 * (PROMPT_TOKENS + MAX_TOKENS * 10);
    expect(attempt.reserved).toMatchObject([{ epoch: 102, model: 'spare', maxCost }]);
    expect(attempt.settled).toEqual([{ epoch: 102, cost: 600 }]);
  });

  it('of a model that would take over without a price leaves the call to the next one', async () => {
    const attempt = priced({ epoch: 102 });
    const { outcome, tail } = await attempt.run(
      modelInput({ model: 'spare', insteadOf: 'fake', isBudgeted: true }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', code: 'model_unavailable', promptTokens: PROMPT_TOKENS });
    expect(fake.requests).toHaveLength(0);
    expect(JSON.stringify(tail)).not.toContain('spare');
  });

  it.each([
    ['superseded', 'a later attempt has begun'],
    ['ended', 'turn superseded'],
  ] as const)('asks nobody when its step is %s', async (outcome, message) => {
    const attempt = priced();
    attempt.reservation = outcome;
    await expect(attempt.run()).rejects.toThrow(message);
    expect(fake.requests).toHaveLength(0);
    expect(attempt.settled).toEqual([]);
  });
});
