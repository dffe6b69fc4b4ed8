/** Covers messages into a running turn, on a real server; every task is replayed from the first event. */
import { describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import type { SteerRequest } from '../../../src/contracts/inputs/steering.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { createSendTurnUpdate } from '../../../src/gateway/turns/send-turn-update.ts';
import { createTurnSteers } from '../../../src/gateway/turns/turn-steers.ts';
import { closeOutside } from '../../../src/turn-service/close-outside.ts';
import { findFirstRunId, readSteerHistory } from '../../../src/turn-service/steer-history.ts';
import { partOf } from '../../support/part-of.ts';
import { expandBatch } from '../../../src/protocol/event-log/event-log.ts';
import {
  cancelTurnSignal,
  pendingSteersQuery,
  steerSignal,
  steerUpdate,
} from '../../../src/temporal/turn-messages.ts';
import { untyped } from '../../support/untyped.ts';
import { temporalAddress, newTurnInput } from '../../support/turn-worker.ts';
import { type TurnStarter, useTurnWorker } from '../../support/use-turn-worker.ts';
import { createTemporalClient } from '../../../src/temporal/temporal-client.ts';
import { endOf } from '../../support/workflow-end.ts';
import {
  answeredCall,
  ScriptedActivities,
  type ScriptedAnswer,
  tailOf,
  scriptedCall,
  untilCancelled,
} from '../support/scripted-activities.ts';
import { refusalOf } from '../support/asking-turn.ts';
import { asksBeforeWrites, scriptedInputs, writeCall } from '../support/scripted-inputs.ts';

const turnsWith = useTurnWorker();
/** Turns of several megabytes stay cached, because replaying them at every task would take too long. */
const largeTurnsWith = useTurnWorker(10);

/** What a model call does: it follows its script, or hangs until it is cancelled. */
type Call = ScriptedAnswer & { readonly isHanging?: true; readonly waitsFor?: Promise<unknown> };

const start = async (calls: readonly Call[], more: Partial<TurnInput> = {}, turnsOf = turnsWith) => {
  const scripted = new ScriptedActivities(calls);
  const begun = calls.map(() => Promise.withResolvers<void>());
  const callModel = async (input: CallModelInput): Promise<CallModelResult> => {
    const call = calls[input.step - 1];
    begun[input.step - 1]?.resolve();
    await call?.waitsFor;
    if (!call?.isHanging) return scripted.callModel(input);
    scripted.modelCalls.push(input);
    await untilCancelled();
    const { outcome } = answeredCall(input, {});
    const ended = outcome.kind === 'ended' ? { ...outcome, end: 'cancelled' as const } : outcome;
    return { outcome: ended, tail: tailOf(input, [...(call.texts ?? [])]) };
  };
  const { executeTool, keepWriteSession, closeTurn } = scripted;
  const worker = turnsOf({ callModel, executeTool, keepWriteSession, closeTurn });
  const input = newTurnInput({ heartbeatTimeoutMs: 1_000, ...more });
  const handle = await worker.startTurn(input);
  return {
    scripted,
    worker,
    input,
    ...steering(handle, scripted),
    begun: begun.map(({ promise }) => promise),
  };
};

const steering = (handle: WorkflowHandle, scripted: ScriptedActivities) => ({
  handle,
  say: (messageId: string, fields: Partial<SteerRequest> = {}) =>
    handle.executeUpdate(steerUpdate, {
      args: [{ messageId, content: `say ${messageId}`, when: 'boundary', ...fields }],
    }),
  ended: async (): Promise<TurnEvent[]> => {
    await endOf(handle);
    return (scripted.closes[0]?.ownEvents ?? []).flatMap(expandBatch).map(({ event }) => event);
  },
});

/** Returns the steering of a gateway, with a database that holds nothing. */
const gateway = ({ client, taskQueue }: TurnStarter) => {
  const turns = partOf<TurnRepository>({});
  return createTurnSteers({
    sendUpdate: createSendTurnUpdate({ client, turns, taskQueue }),
    turns,
    watchedTurns: { interrupt: () => undefined, expectEvents: () => undefined },
    findSteer: () => Promise.resolve(undefined),
  });
};

const lengthOf = async (handle: WorkflowHandle): Promise<number> => (await handle.describe()).historyLength;

const updatesIn = async (handle: WorkflowHandle): Promise<number> => {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
};

const userTexts = ({ messages }: CallModelInput): string[] =>
  messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));

const steersIn = (events: readonly TurnEvent[]) => events.filter((event) => event.type === 'steer');

describe('a message into a running turn', () => {
  it('is read by the next model call, also when the answer was on its way', async () => {
    const gate = Promise.withResolvers<void>();
    const turn = await start([{ texts: ['First.'], waitsFor: gate.promise }, { texts: ['Second.'] }]);
    await turn.begun[0];
    const by = { kind: 'key', name: 'anna' } as const;
    await expect(turn.say('m', { by })).resolves.toEqual({ messageId: 'm', interrupts: null });
    gate.resolve();
    expect(steersIn(await turn.ended())).toMatchObject([
      { messageId: 'm', content: 'say m', by, interrupted: false },
    ]);
    expect(turn.scripted.modelCalls[1]?.messages).toMatchObject([
      { role: 'assistant', content: 'First.' },
      { role: 'user', content: 'say m' },
    ]);
    expect(turn.scripted.closes[0]).toMatchObject({ terminal: { reason: 'answered' } });
    expect(turn.scripted.closes[0]).not.toHaveProperty('unapplied');
  });

  it('is read by the first one, when it comes before the turn has begun', async () => {
    const scripted = new ScriptedActivities([{ texts: ['Answer.'] }]);
    const { callModel, executeTool, keepWriteSession, closeTurn } = scripted;
    const worker = turnsWith({ callModel, executeTool, keepWriteSession, closeTurn });
    const input = newTurnInput();
    worker.takes(input.turnId);
    const handle = await worker.client.workflow.signalWithStart('turnWorkflow', {
      workflowId: `turn/${input.turnId}`,
      taskQueue: worker.taskQueue,
      args: [input],
      signal: steerSignal,
      signalArgs: [{ messageId: 'm', content: 'and briefly', when: 'boundary' }],
    });
    await steering(handle, scripted).ended();
    expect(scripted.modelCalls.map(userTexts)).toEqual([['Hello?', 'and briefly']]);
  });

  it('is accepted once, however often it is sent, and not with another text', async () => {
    const gate = Promise.withResolvers<void>();
    const turn = await start([{ texts: ['First.'], waitsFor: gate.promise }]);
    await turn.begun[0];
    await Promise.all([turn.say('m'), turn.say('m')]);
    expect(await refusalOf(turn.say('m', { content: 'other' }))).toBe('idempotency_conflict');
    expect(await refusalOf(turn.say('n', { content: ' ' }))).toBe('validation_failed');
    await expect(turn.handle.executeUpdate('steer', { args: ['text'] })).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^steer: /) },
    });
    await expect(turn.handle.query(pendingSteersQuery)).resolves.toMatchObject([{ messageId: 'm' }]);
    gate.resolve();
    expect(steersIn(await turn.ended())).toHaveLength(1);
  });

  it('is refused beyond what a turn takes, and leaves no trace then', async () => {
    const gate = Promise.withResolvers<void>();
    const turn = await start([{ texts: ['First.'], waitsFor: gate.promise }]);
    await turn.begun[0];
    const long = 'x'.repeat(65_536);
    await turn.say('a', { content: long });
    await turn.say('b', { content: long });
    expect(await refusalOf(turn.say('c'))).toBe('too_many_messages');
    expect(await updatesIn(turn.handle)).toBe(2);
    gate.resolve();
    await turn.ended();
  });

  it('is repeated at no cost to the history', async () => {
    const gate = Promise.withResolvers<void>();
    const turn = await start([{ texts: ['First.'], waitsFor: gate.promise }], { heartbeatTimeoutMs: 60_000 });
    await turn.begun[0];
    const message: SteerRequest = { messageId: 'm', content: 'say m', when: 'boundary' };
    // The messages come from two gateways in turn, each time with nothing else under way.
    const gateways = [gateway(turn.worker), gateway(turn.worker)];
    const say = async (): Promise<void> => {
      for (const { steer } of gateways) {
        expect(await steer(turn.input.turnId, message)).toEqual({ kind: 'accepted' });
      }
    };
    await say();
    const before = await lengthOf(turn.handle);
    for (let n = 0; n < 25; n += 1) await say();
    expect(await lengthOf(turn.handle)).toBe(before);
    gate.resolve();
    expect(steersIn(await turn.ended())).toHaveLength(1);
  });

  it('is refused by a turn too large to be replayed in one task, whose history can still be read', async () => {
    const gate = Promise.withResolvers<void>();
    const turn = await start(
      [{ texts: ['First.'], waitsFor: gate.promise }],
      { heartbeatTimeoutMs: 60_000 },
      largeTurnsWith,
    );
    await turn.begun[0];
    await turn.say('m');
    const garbage = untyped({ nonsense: 'x'.repeat(1_900_000) });
    for (let n = 0; n < 5; n += 1) await turn.handle.signal(steerSignal, garbage);
    // Temporal tells a task the size that the history had when the task was scheduled: events that came during the task
    // before are not counted.
    await turn.say('m');
    await expect(refusalOf(turn.say('n'))).resolves.toBe('too_many_messages');
    await turn.say('m');
    const { client, connection } = createTemporalClient({ address: temporalAddress() }, 'default');
    const { workflowId } = turn.handle;
    const runId = (await findFirstRunId(client, workflowId)) ?? '';
    const { accepted } = await readSteerHistory(client, { workflowId, runId });
    expect(accepted.map(({ messageId }) => messageId)).toEqual(['m']);
    await connection.close();
    gate.resolve();
    expect(steersIn(await turn.ended())).toHaveLength(1);
  });

  it('comes by signal, too, and what does not fit is dropped', async () => {
    const gate = Promise.withResolvers<void>();
    const turn = await start([{ texts: ['First.'], waitsFor: gate.promise }]);
    await turn.begun[0];
    await turn.handle.signal(steerSignal, untyped({ nonsense: true }));
    await turn.handle.signal(steerSignal, { messageId: 'm', content: 'by hand' } as SteerRequest);
    gate.resolve();
    expect(steersIn(await turn.ended())).toMatchObject([{ content: 'by hand', by: { kind: 'temporal' } }]);
  });
});

describe('a message that interrupts', () => {
  it('ends the model call and keeps what was said', async () => {
    const turn = await start([{ isHanging: true, texts: ['Fir'] }, { texts: ['Second.'] }]);
    await turn.begun[0];
    await expect(turn.say('m', { when: 'now' })).resolves.toEqual({ messageId: 'm', interrupts: 1 });
    expect(steersIn(await turn.ended())).toMatchObject([{ interrupted: true }]);
    expect(turn.scripted.modelCalls[1]?.messages).toMatchObject([
      { role: 'assistant', content: 'Fir' },
      { role: 'user', content: 'say m' },
    ]);
    expect(turn.scripted.closes[0]).toMatchObject({ terminal: { status: 'completed', reason: 'answered' } });
  });

  it('may be a waiting one that is sent again as urgent', async () => {
    const turn = await start([{ isHanging: true, texts: ['Fir'] }, { texts: ['Second.'] }]);
    await turn.begun[0];
    await turn.say('m');
    await expect(turn.say('m', { when: 'now' })).resolves.toEqual({ messageId: 'm', interrupts: 1 });
    expect(steersIn(await turn.ended())).toMatchObject([{ messageId: 'm', interrupted: true }]);
  });

  /** Starts a turn whose first model call fails because the provider is busy, but not before `until`. */
  const startBusy = async (until?: Promise<unknown>) => {
    const begun = Promise.withResolvers<void>();
    const scripted = new ScriptedActivities([{}, { texts: ['Second.'] }]);
    const callModel = async (input: CallModelInput): Promise<CallModelResult> => {
      if (input.step !== 1) return scripted.callModel(input);
      begun.resolve();
      await until;
      throw ApplicationFailure.create({ message: 'busy', nextRetryDelay: '5 minutes' });
    };
    const { executeTool, keepWriteSession, closeTurn } = scripted;
    const worker = turnsWith({ callModel, executeTool, keepWriteSession, closeTurn });
    const turn = steering(await worker.startTurn(newTurnInput()), scripted);
    await begun.promise;
    return { turn, scripted };
  };

  it('ends a call that is in back-off at once', async () => {
    const { turn, scripted } = await startBusy();
    await turn.say('m', { when: 'now' });
    expect(steersIn(await turn.ended())).toMatchObject([{ interrupted: true }]);
    expect(scripted.closes[0]).toMatchObject({ terminal: { reason: 'answered' } });
  });

  it('goes on after a call that failed by itself while its cancel was on the way', async () => {
    const said = Promise.withResolvers<void>();
    const { turn, scripted } = await startBusy(said.promise);
    await turn.say('m', { when: 'now' });
    said.resolve();
    expect(steersIn(await turn.ended())).toMatchObject([{ interrupted: true }]);
    expect(scripted.closes[0]).toMatchObject({ terminal: { reason: 'answered' } });
  });

  it('does not run a call that has not begun', async () => {
    const gate = Promise.withResolvers<void>();
    const calls = [scriptedCall('FileSystemTool_read_file', { path: 'a' })];
    const turn = await start([{ calls, waitsFor: gate.promise }, { texts: ['Second.'] }]);
    await turn.begun[0];
    await turn.say('m', { when: 'now' });
    gate.resolve();
    await turn.ended();
    expect(turn.scripted.toolCalls).toEqual([]);
    expect(turn.scripted.modelCalls[1]?.messages.at(-2)?.content).toContain('Not run: the user interrupted.');
    expect(turn.scripted.closes[0]).toMatchObject({ cycle: 0 });
  });

  it('takes the default of a request that waits; a patient one waits with it', async () => {
    const world = scriptedInputs([{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }]);
    const worker = turnsWith(world.activities);
    const turn = steering(
      await worker.startTurn(newTurnInput({ inputs: asksBeforeWrites() })),
      world.scripted,
    );
    await world.nextRequest();
    await turn.say('patient');
    await expect(turn.handle.query(pendingSteersQuery)).resolves.toHaveLength(1);
    await turn.say('hasty', { when: 'now' });
    const events = (await turn.ended()).filter(({ type }) => type.startsWith('input') || type === 'steer');
    expect(events).toMatchObject([
      { type: 'input_requested' },
      { type: 'input_resolved', reply: 'deny', by: { kind: 'steer' } },
      { messageId: 'patient', interrupted: false },
      { messageId: 'hasty', interrupted: true },
    ]);
    expect(world.scripted.toolCalls).toEqual([]);
    expect(world.scripted.modelCalls[1]?.messages[1]?.content).toContain('Not run: the user interrupted.');
  });
});

describe('a message that the model never reads', () => {
  it('is handed back by a cancel', async () => {
    const turn = await start([{ isHanging: true }]);
    await turn.begun[0];
    await turn.say('m');
    await turn.handle.signal(cancelTurnSignal);
    expect(steersIn(await turn.ended())).toEqual([]);
    expect(turn.scripted.closes[0]).toMatchObject({
      terminal: { reason: 'cancelled' },
      unapplied: [{ messageId: 'm', content: 'say m' }],
    });
  });

  it('is refused once the turn is being closed', async () => {
    const closing = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const scripted = new ScriptedActivities([{ texts: ['Answer.'] }]);
    const { callModel, executeTool, keepWriteSession } = scripted;
    const closeTurn: ScriptedActivities['closeTurn'] = async (input) => {
      closing.resolve();
      await gate.promise;
      await scripted.closeTurn(input);
    };
    const worker = turnsWith({ callModel, executeTool, keepWriteSession, closeTurn });
    const turn = steering(await worker.startTurn(newTurnInput()), scripted);
    await closing.promise;
    expect(await refusalOf(turn.say('late'))).toBe('turn_ended');
    gate.resolve();
    await turn.ended();
    expect(scripted.closes[0]).not.toHaveProperty('unapplied');
  });

  it('is known to whoever closes a turn whose workflow was terminated', async () => {
    const turn = await start([{ isHanging: true }]);
    await turn.begun[0];
    await turn.say('m');
    await turn.handle.terminate();
    await expect(turn.handle.query(pendingSteersQuery)).resolves.toMatchObject([{ messageId: 'm' }]);
  });

  it('is found in the history of its turn when no worker can answer a query', async () => {
    const turn = await start([{ isHanging: true }]);
    await turn.begun[0];
    const by = { kind: 'key', name: 'anna' } as const;
    await turn.say('m', { by });
    expect(await refusalOf(turn.say('m', { content: 'other' }))).toBe('idempotency_conflict');
    await turn.handle.signal(steerSignal, untyped({ nonsense: true }));
    for (const content of ['by hand', 'other words']) {
      await turn.handle.signal(steerSignal, { messageId: 'h', content } as SteerRequest);
    }
    await turn.worker.resetToStart(turn.input);
    await turn.handle.terminate();
    const { client } = turn.worker;
    const { workflowId } = turn.handle;
    const runId = await findFirstRunId(client, workflowId);
    const told = await readSteerHistory(client, { workflowId, runId: runId ?? '' });
    expect(Date.now() - Date.parse(told.accepted[0]?.at ?? '')).toBeLessThan(60_000);
    expect(told).toMatchObject({
      hasBegun: true,
      accepted: [
        { messageId: 'm', content: 'say m', by },
        { messageId: 'h', content: 'by hand', by: { kind: 'temporal' } },
      ],
    });
    expect(await findFirstRunId(client, 'turn/nobody')).toBeUndefined();
  });

  it('is handed back from a turn that was terminated before any worker had begun it', async () => {
    const worker = turnsWith({});
    const { client } = worker;
    const input = newTurnInput();
    const workflowId = `turn/${input.turnId}`;
    const handle = await client.workflow.signalWithStart('turnWorkflow', {
      workflowId,
      taskQueue: `${worker.taskQueue}-of-nobody`,
      args: [input],
      signal: steerSignal,
      signalArgs: [{ messageId: 'm', content: 'and briefly', when: 'boundary' }],
    });
    await handle.terminate();
    const closes: unknown[] = [];
    const turns = partOf<TurnRepository>({
      close: (close: unknown) => {
        closes.push(close);
        return Promise.resolve({ isClosedHere: true });
      },
    });
    await closeOutside({ client, turns }, { turnId: input.turnId, runId: null } as TurnRow);
    expect(closes).toMatchObject([{ outside: { batches: [], unapplied: [{ messageId: 'm' }] } }]);
  });

  it('is refused by a run that a reset has begun', async () => {
    const turn = await start([{ isHanging: true }]);
    await turn.begun[0];
    await turn.worker.resetToStart(turn.input);
    expect(await refusalOf(turn.say('m'))).toBe('turn_superseded');
    await turn.handle.terminate();
  });
});
