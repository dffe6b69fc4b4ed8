/** Covers another model that takes over a call: what the workflow asks for, and what the turn keeps. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import type { WorkflowHandle } from '@temporalio/client';
import type { TurnErrorCode } from '../../../src/contracts/wire/turn-event.ts';
import { expandBatch, fullContentOf } from '../../../src/protocol/event-log/event-log.ts';
import { eventsSinceQuery } from '../../../src/temporal/turn-messages.ts';
import { queryOnceTaskEnded } from '../../../src/temporal/query-retries.ts';
import { newTurnInput, TurnWorker } from '../../support/turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';
import { ScriptedActivities } from '../support/scripted-activities.ts';
import { withFallbacks } from '../support/scripted-fallbacks.ts';

const fallbacks = [
  { model: 'small', promptTokens: 50 },
  { model: 'large', promptTokens: 1_000 },
];
const workers: TurnWorker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

const start = async (activities: TurnActivities, input = {}): Promise<WorkflowHandle> => {
  const worker = await TurnWorker.start(activities);
  workers.push(worker);
  return worker.startTurn(newTurnInput({ model: 'own', fallbacks, ...input }));
};

const play = async (activities: TurnActivities, input = {}): Promise<unknown> => {
  const handle = await start(activities, input);
  const end: unknown = await handle.result().catch((error: unknown) => error);
  return end;
};

describe('a call whose model is not available', () => {
  it('is made by the first model whose window holds the prompt, as one more attempt of its step', async () => {
    const scripted = withFallbacks({ failing: ['own'], promptTokens: 100 });
    expect(await play(scripted)).toMatchObject({ status: 'completed', reason: 'answered' });
    const [first, second] = scripted.modelCalls;
    expect(scripted.modelCalls.map(({ model, insteadOf }) => [model, insteadOf])).toEqual([
      ['own', undefined],
      ['large', 'own'],
    ]);
    expect(second).toMatchObject({ step: first?.step, fromSeq: first?.fromSeq, after: first?.after });
    expect(second?.messages).toEqual(first?.messages);
  });

  it('keeps nothing of what was withdrawn, and no notice, in the answer', async () => {
    const scripted = withFallbacks({ failing: ['own'], promptTokens: 10 });
    const handle = await start(scripted);
    await handle.result();
    const { batches } = await queryOnceTaskEnded(() => handle.query(eventsSinceQuery, null));
    const events = batches.flatMap(expandBatch);
    expect(events).toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ notice: 'model_fallback' }) }),
    );
    expect(fullContentOf(events)).toBe('whole');
    const { waste, usage } = scripted.closes[0] ?? {};
    expect(scripted.closes[0]?.terminal).toMatchObject({ type: 'done', reason: 'answered' });
    // The text "half" of the model that failed was discarded.
    expect(waste?.discardedCharacters).toBe(4);
    expect(usage?.completionTokens).toBe(5);
  });

  it('tries each model of the list once, and ends with the last one’s error', async () => {
    const scripted = withFallbacks({ failing: ['own', 'small', 'large'], promptTokens: 10 });
    await play(scripted);
    expect(scripted.modelCalls.map(({ model, insteadOf }) => [model, insteadOf])).toEqual([
      ['own', undefined],
      ['small', 'own'],
      ['large', 'small'],
    ]);
    expect(scripted.closes[0]?.terminal).toMatchObject({
      code: 'model_unavailable',
      message: 'large is down',
    });
  });

  it('is made by the one that took over, once a turn is in its hands', async () => {
    const scripted = withFallbacks({ failing: ['own'], promptTokens: 100, toolSteps: 2 });
    await play(scripted);
    const asked = scripted.modelCalls.map(({ step, model, insteadOf }) => [step, model, insteadOf]);
    expect(asked).toEqual([
      [1, 'own', undefined],
      [1, 'large', 'own'],
      [2, 'large', undefined],
      [3, 'large', undefined],
    ]);
    expect(scripted.modelCalls.map(({ maxPromptTokens }) => maxPromptTokens)).toEqual([
      undefined,
      1_000,
      1_000,
      1_000,
    ]);
    expect(scripted.closes[0]?.terminal).toMatchObject({ type: 'done', reason: 'answered' });
  });

  it('goes back to the turn’s own model when the one that took over fails, and to each once a step', async () => {
    const failsFrom = { large: 2, small: 2 };
    const failing = ['own', 'small', 'large'];
    const scripted = withFallbacks({ failing, failsFrom, promptTokens: 10, toolSteps: 1 });
    await play(scripted);
    expect(scripted.modelCalls.map(({ step, model, insteadOf }) => [step, model, insteadOf])).toEqual([
      [1, 'own', undefined],
      [1, 'small', 'own'],
      [2, 'small', undefined],
      [2, 'own', 'small'],
      [2, 'large', 'own'],
    ]);
    expect(scripted.closes[0]?.terminal).toMatchObject({ code: 'model_unavailable' });
  });

  it.each<[string, { promptTokens: number | undefined; code?: TurnErrorCode; input?: object }]>([
    ['its prompt is larger than any', { promptTokens: 1_001 }],
    ['its prompt was not counted', { promptTokens: undefined }],
    ['its turn has no other models', { promptTokens: 1, input: { fallbacks: undefined } }],
    ['it was refused for another reason', { promptTokens: 1, code: 'model_auth' }],
    ['its prompt is too long for the model', { promptTokens: 1, code: 'model_context_length' }],
  ])('fails where %s', async (_name, { input = {}, ...more }) => {
    const scripted = withFallbacks({ failing: ['own'], ...more });
    await play(scripted, input);
    expect(scripted.modelCalls).toHaveLength(1);
    expect(scripted.closes[0]?.terminal).toMatchObject({
      type: 'error',
      code: more.code ?? 'model_unavailable',
    });
  });

  it('is not made again after a cancel', async () => {
    const scripted: ScriptedActivities & TurnActivities = withFallbacks({
      failing: ['own'],
      promptTokens: 1,
    });
    const worker: TurnWorker = await TurnWorker.start({
      ...scripted,
      callModel: async (input) => {
        const failed = await scripted.callModel(input);
        await worker.client.workflow.getHandle(`turn/${input.turnId}`).signal('cancelTurn');
        return failed;
      },
    });
    workers.push(worker);
    const handle = await worker.startTurn(newTurnInput({ model: 'own', fallbacks }));
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(scripted.modelCalls).toHaveLength(1);
  });
});
