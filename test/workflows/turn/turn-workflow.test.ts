/** Covers the turn workflow on a real server with scripted activities; every task is replayed from the first event. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { requireFirstRun } from '../../../activities/attempt/first-run.ts';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import {
  TURN_SUPERSEDED,
  type CloseTurnInput,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { TurnToPrompt } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import { createTurnReader } from '../../../src/gateway/turns/turn-workflows.ts';
import type { RunningTurnProgress } from '../../../src/gateway/ports/turn-views.ts';
import { attemptEpoch } from '../../../src/contracts/wire/event-id.ts';
import { expandBatch, fullContentOf, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import {
  appendEventsSignal,
  cancelTurnSignal,
  eventsSinceQuery,
  turnStatusQuery,
} from '../../../src/temporal/turn-messages.ts';
import { recordedTurns } from '../support/recorded-turns.ts';
import {
  answeredCall,
  ScriptedActivities,
  tailOf,
  scriptedCall,
  untilCancelled,
} from '../support/scripted-activities.ts';
import { queryOnceTaskEnded } from '../../../src/temporal/query-retries.ts';
import { newTurnInput, TurnWorker } from '../../support/turn-worker.ts';
import { type TurnStarter, useTurnWorker } from '../../support/use-turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';

const workers: TurnWorker[] = [];
const turnsWith = useTurnWorker();
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

/** Resolves to all durable events of a turn, as a reader of the query gets them. */
const durableEvents = async (handle: WorkflowHandle): Promise<LoggedEvent[]> => {
  const events: LoggedEvent[] = [];
  for (;;) {
    const page = await queryOnceTaskEnded(() => handle.query(eventsSinceQuery, events.at(-1)?.id ?? null));
    events.push(...page.batches.flatMap(expandBatch));
    if (!page.more) return events;
  }
};

/** A store without rows, since a gateway's reader also looks there. */
const noRows = { find: () => Promise.resolve(undefined), listRunning: () => Promise.resolve([]) };

/** Asks again until the worker answers, because on a busy machine it may answer too late for a status page. */
const askUntilKnown = async (
  ask: () => Promise<RunningTurnProgress | undefined>,
): Promise<RunningTurnProgress> => {
  for (;;) {
    const live = await ask();
    if (live && live.content !== null) return live;
  }
};

const eventTypes = (close: CloseTurnInput | undefined): string[] =>
  (close?.ownEvents ?? []).flatMap(expandBatch).map(({ event }) => event.type);

describe('turnWorkflow', () => {
  it('answers a plain question with one model call and one close', async () => {
    const activities = new ScriptedActivities([{ texts: ['Hello', ' there'] }]);
    const worker: TurnStarter = turnsWith(activities);
    const handle = await worker.startTurn(newTurnInput());
    await expect(handle.result()).resolves.toEqual({ status: 'completed', reason: 'answered' });
    expect(fullContentOf(await durableEvents(handle))).toBe('Hello there');
    expect(activities.closes).toHaveLength(1);
    expect(activities.closes[0]).toMatchObject({ terminalId: '199-4', terminalAfter: '101-3', cycle: 0 });
  });

  it('alternates action and tool phases and hands over only what is new', async () => {
    const activities = new ScriptedActivities([
      { texts: ['Let me look.'], calls: [scriptedCall('list_files', { path: '.' })] },
      { calls: [scriptedCall('read_file', { path: 'README.md' }, 'call-2')] },
      { texts: ['Done.'] },
    ]);
    const worker: TurnStarter = turnsWith(activities);
    const handle = await worker.startTurn(newTurnInput());
    await handle.result();
    const phases = (await durableEvents(handle)).flatMap(({ event }) =>
      event.type === 'phase' ? [`${event.phase} ${event.index} ${event.cycle}`] : [],
    );
    expect(phases).toEqual(['action 0 0', 'tool 1 0', 'action 2 1', 'tool 3 1', 'action 4 2']);
    expect(activities.modelCalls.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['assistant', 'tool'],
      // Two of three cycles are used, so the model is told that one is left.
      ['assistant', 'tool', 'system'],
    ]);
    expect(activities.toolCalls.map(({ phaseIndex }) => phaseIndex)).toEqual([1, 3]);
  });

  it('begins its prompt once, and before the model is called', async () => {
    const happened: string[] = [];
    const scripted = new ScriptedActivities([{ calls: [scriptedCall('list_files')] }, { texts: ['Done.'] }]);
    const callModel: TurnActivities['callModel'] = (input) => {
      happened.push('called');
      return scripted.callModel(input);
    };
    const begin = ({ projectId, mode }: TurnToPrompt) => void happened.push(`${projectId} ${mode}`);
    const worker = await TurnWorker.start(
      { ...scripted, callModel },
      { sinks: { promptPrefetch: { begin } } },
    );
    workers.push(worker);
    await (await worker.startTurn(newTurnInput({ projectId: 'mine', mode: 'plan' }))).result();
    expect(happened).toEqual(['mine plan', 'called', 'called']);
  });

  it('keeps ids unique and in order over signals, tails and its own events', async () => {
    const scripted = new ScriptedActivities([
      { texts: ['a', 'b'], calls: [scriptedCall('list_files')] },
      { texts: ['c'] },
    ]);
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: async (input) => {
        const result = await scripted.callModel(input);
        const handle = worker.client.workflow.getHandle(`turn/${input.turnId}`);
        await handle.signal(appendEventsSignal, result.tail);
        await handle.signal(appendEventsSignal, result.tail);
        return result;
      },
    });
    const handle = await worker.startTurn(newTurnInput());
    await handle.result();
    const events = await durableEvents(handle);
    expect(events.map(({ id }) => id.seq)).toEqual(events.map((_, i) => i + 1));
    expect(fullContentOf(events)).toBe('abc');
    const pages = await queryOnceTaskEnded(() => handle.query(eventsSinceQuery, events[2]?.id ?? null));
    expect(pages.batches.flatMap(expandBatch)).toEqual(events.slice(3));
  });

  it('handles an answer of 5,000 chunks within the time of a workflow task', async () => {
    const texts = Array.from({ length: 5_000 }, (_, i) => ` word${i}`);
    const worker: TurnStarter = turnsWith(new ScriptedActivities([{ texts }]));
    const handle = await worker.startTurn(newTurnInput());
    await handle.result();
    const { events } = await handle.fetchHistory();
    expect(events?.filter((event) => event.workflowTaskTimedOutEventAttributes)).toEqual([]);
    expect(events?.filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
    expect(fullContentOf(await durableEvents(handle))).toBe(texts.join(''));
  });

  it('ends a cancelled turn with what was said', async () => {
    const scripted = new ScriptedActivities([]);
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: async (input) => {
        begun();
        await untilCancelled();
        const result = answeredCall(input, { texts: ['half an ans'] });
        return result.outcome.kind === 'ended'
          ? { ...result, outcome: { ...result.outcome, end: 'cancelled' } }
          : result;
      },
    });
    const handle = await worker.startTurn(newTurnInput());
    await running;
    await handle.signal(cancelTurnSignal);
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(scripted.closes[0]?.terminal).toMatchObject({ type: 'done', status: 'cancelled' });
    expect(fullContentOf(await durableEvents(handle))).toBe('half an ans');
  });

  it("takes Temporal's own Cancel like cancelTurn, and closes the turn", async () => {
    const scripted = new ScriptedActivities([]);
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: async () => {
        begun();
        await untilCancelled();
        throw new Error('an attempt that does not return');
      },
    });
    const handle = await worker.startTurn(newTurnInput());
    await running;
    await handle.cancel();
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(scripted.closes).toHaveLength(1);
  });

  it('closes the turn with the error of a provider that refused for good', async () => {
    const scripted = new ScriptedActivities([]);
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: (input) =>
        Promise.resolve({
          outcome: { kind: 'failed', code: 'model_auth', message: 'wrong key' },
          tail: tailOf(input, ['I was ab']),
        }),
    });
    const handle = await worker.startTurn(newTurnInput());
    expect(await endOf(handle)).toEqual({
      status: 'Failed',
      type: 'model_auth',
      message: 'wrong key',
      retryable: false,
      details: { status: 'failed', reason: 'model_auth' },
    });
    expect(
      (await handle.fetchHistory()).events?.at(0)?.workflowExecutionStartedEventAttributes?.attempt,
    ).toBe(1);
    expect(scripted.closes[0]?.terminal).toEqual({ type: 'error', code: 'model_auth', message: 'wrong key' });
    expect(fullContentOf(await durableEvents(handle))).toBe('I was ab');
  });

  it('keeps what was durably said when every attempt of a call is lost', async () => {
    const scripted = new ScriptedActivities([]);
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: async (input) => {
        const handle = worker.client.workflow.getHandle(`turn/${input.turnId}`);
        await handle.signal(appendEventsSignal, tailOf(input, ['said before']));
        throw ApplicationFailure.nonRetryable('worker lost');
      },
    });
    const handle = await worker.startTurn(newTurnInput());
    expect(await endOf(handle)).toMatchObject({ status: 'Failed', type: 'model_unavailable' });
    expect(fullContentOf(await durableEvents(handle))).toBe('said before');
    expect(eventTypes(scripted.closes[0])).toEqual(['phase', 'reset', 'chunk']);
  });

  it('stores the tokens of the calls before the one that ended the turn', async () => {
    const scripted = new ScriptedActivities([{ calls: [scriptedCall('list_files')] }]);
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: (input) =>
        input.step === 1
          ? scripted.callModel(input)
          : Promise.resolve({
              outcome: { kind: 'failed', code: 'model_auth', message: 'wrong key' },
              tail: [],
            }),
    });
    await endOf(await worker.startTurn(newTurnInput()));
    expect(scripted.closes[0]).toMatchObject({
      terminal: { type: 'error', code: 'model_auth' },
      usage: { promptTokens: 10, completionTokens: 5 },
    });
  });

  it('is not blocked by a bad signal that is sent by hand', async () => {
    const scripted = new ScriptedActivities([{ texts: ['fine'] }]);
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: async (input) => {
        const handle = worker.client.workflow.getHandle(`turn/${input.turnId}`);
        for (const bad of [null, 'text', [{ epoch: 'x' }], { events: [] }]) {
          await handle.signal('appendEvents', bad);
        }
        await handle.signal('noSuchSignal', 1);
        return scripted.callModel(input);
      },
    });
    const handle = await worker.startTurn(newTurnInput());
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
  });

  it('tells the model that the outcome of a lost tool execution is unknown', async () => {
    const scripted = new ScriptedActivities([{ calls: [scriptedCall('write_to_file')] }, { texts: ['ok'] }]);
    const worker: TurnStarter = turnsWith({
      ...scripted,
      executeTool: () => Promise.reject(ApplicationFailure.nonRetryable('worker lost')),
    });
    const handle = await worker.startTurn(newTurnInput());
    await handle.result();
    expect(JSON.stringify(scripted.modelCalls[1]?.messages)).toContain('OUTCOME_UNKNOWN');
  });

  it('lets a run that a reset has begun neither act nor answer', async () => {
    const scripted = new ScriptedActivities([{ texts: ['first run'] }]);
    // These activities refuse a reset run as those of a worker do.
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: (call) => {
        requireFirstRun(call);
        return scripted.callModel(call);
      },
      closeTurn: (close) => {
        requireFirstRun(close);
        return scripted.closeTurn(close);
      },
    });
    const input = newTurnInput();
    const handle = await worker.startTurn(input);
    await handle.result();
    const runId = await worker.resetToStart(input);
    const reset = worker.client.workflow.getHandle(handle.workflowId, runId);
    await expect(reset.result()).rejects.toMatchObject({ cause: { cause: { type: TURN_SUPERSEDED } } });
    expect((await queryOnceTaskEnded(() => reset.query(eventsSinceQuery, null))).batches).toEqual([]);
    expect([scripted.modelCalls.length, scripted.closes.length]).toEqual([1, 1]);
  });

  it('says what it is doing', async () => {
    const scripted = new ScriptedActivities([{ calls: [scriptedCall('list_files')] }, { texts: ['ok'] }]);
    const worker: TurnStarter = turnsWith(scripted);
    const handle = await worker.startTurn(newTurnInput());
    await handle.result();
    await expect(handle.query(turnStatusQuery)).resolves.toEqual({
      phase: { index: 2, kind: 'action' },
      cycle: 1,
      cancelRequested: false,
      waste: { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 },
    });
  });

  it('shows in the middle of a turn what was said and what was wasted', async () => {
    const scripted = new ScriptedActivities([{ texts: [] }]);
    const shown = Promise.withResolvers<unknown>();
    const worker: TurnStarter = turnsWith({
      ...scripted,
      callModel: async (input) => {
        const { turnId, step, fromSeq, after } = input;
        const retry = { epoch: attemptEpoch(step, 2), seq: fromSeq - 1, after };
        await worker.client.workflow
          .getHandle(`turn/${turnId}`)
          .signal(appendEventsSignal, [
            ...tailOf(input, ['with', 'drawn']),
            { ...retry, events: [{ type: 'reset', fromSeq }, 'It ', 'stays'] },
          ]);
        shown.resolve(
          await askUntilKnown(() => createTurnReader(worker.client, noRows).readProgress(turnId)),
        );
        return scripted.callModel({ ...input, fromSeq: fromSeq + 2 });
      },
    });
    await worker.startTurn(newTurnInput());
    expect(await shown.promise).toMatchObject({
      phase: 0,
      cycle: 0,
      content: 'It stays',
      waste: { duplicatesRefused: 0, retriedTokens: 3, discardedCharacters: 9 },
    });
  });

  it('runs a read again only when prompts leave out its result', async () => {
    const recorded = recordedTurns().find(({ name }) => name === 'results-left-out');
    const { activities, input } = recorded ?? {};
    if (!(activities instanceof ScriptedActivities)) throw new Error('the turn is not recorded');
    await (await turnsWith(activities).startTurn(newTurnInput(input))).result();
    const paths = activities.toolCalls.map(({ call }) => call.function.arguments);
    expect(paths).toEqual(['{"path":"a"}', '{"path":"b"}', '{"path":"a"}']);
    expect(activities.closes[0]?.waste).toMatchObject({ duplicatesRefused: 1 });
  });
});
