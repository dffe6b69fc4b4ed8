/** Covers a turn that asks before a file is written, on a real server; every task is replayed from the first event. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { cancelTurnSignal, replyUpdate } from '../../../src/temporal/turn-messages.ts';
import { writeSessionEndedSignal } from '../../../src/temporal/write-session-messages.ts';
import { eventually } from '../../support/eventually.ts';
import { ScriptedSession, sessionInput, startSession } from '../../support/scripted-session.ts';
import { newTurnInput, TurnWorker } from '../../support/turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';
import { beginsFile, scriptedCommits } from '../support/scripted-commits.ts';
import { ARGS_HASH, asksBeforeWrites, BEFORE } from '../support/scripted-inputs.ts';
import type { ScriptedAnswer } from '../support/scripted-activities.ts';

const workers: TurnWorker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

const WRITES: readonly ScriptedAnswer[] = [
  beginsFile('a.md'),
  { texts: ['new text\nDONE\n'] },
  { texts: ['Done.'] },
];
const allow = { reply: 'allow', argsHash: ARGS_HASH } as const;

const start = async (answers = WRITES, more: Partial<TurnInput> = {}) => {
  const world = scriptedCommits(answers);
  const session = new ScriptedSession();
  const worker = await TurnWorker.start({ ...world.activities, ...session });
  workers.push(worker);
  const input = newTurnInput({ inputs: asksBeforeWrites(), ...more });
  const handle = await worker.startTurn(input);
  const reply = (request: Omit<ReplyRequest, 'inputId'>, n = 1) =>
    handle.executeUpdate(replyUpdate, { args: [{ inputId: inputIdOf(input.turnId, n), ...request }] });
  /** Starts the session of the turn as a workflow of its own. */
  const startedSession = () => {
    const sessionId = world.scripted.toolCalls[0]?.writeSession?.sessionId ?? '';
    return startSession(worker, sessionInput({ sessionId, needsApproval: true }));
  };
  const stages = (): string[] =>
    (world.scripted.closes[0]?.ownEvents ?? [])
      .flatMap(({ events }) => events)
      .flatMap((event) => (typeof event === 'object' && event.type === 'write_session' ? [event.stage] : []));
  return { ...world, worker, input, handle, reply, startedSession, stages, session };
};

describe('a file in a turn that asks before writes', () => {
  it('is begun unasked, kept, asked about, and committed in the name of the reply', async () => {
    const turn = await start();
    const announced = await turn.nextRequest();
    const [begun] = turn.scripted.toolCalls;
    expect(begun?.writeSession).toMatchObject({ needsApproval: true });
    expect(begun).not.toHaveProperty('approval');
    const sessionId = begun?.writeSession?.sessionId;
    expect(turn.prepared).toMatchObject([
      { kind: 'commit', session: { sessionId, content: contentRefOf('new text\n') } },
    ]);
    expect(announced).toMatchObject({ sessionId, default: 'deny' });
    expect(turn.scripted.keeps.map(({ commit }) => commit)).toEqual([false]);
    await turn.reply(allow);
    await endOf(turn.handle);
    expect(turn.scripted.keeps.map(({ commit, approval }) => [commit, approval])).toEqual([
      [false, undefined],
      [true, { inputId: inputIdOf(turn.input.turnId, 1), before: BEFORE }],
    ]);
    expect(turn.stages()).toEqual(['begun', 'content_complete', 'committed']);
  });

  it('does not let its client finalize first', async () => {
    const turn = await start(WRITES, { writeSession: 'client' });
    const timers = async () =>
      ((await turn.handle.fetchHistory()).events ?? []).filter(
        ({ timerStartedEventAttributes: timer }) => timer,
      );
    await eventually('the wait for a reply', async () => (await timers()).length === 1);
    await turn.reply(allow);
    await endOf(turn.handle);
    expect(await timers()).toHaveLength(1);
    expect(turn.scripted.keeps.map(({ commit }) => commit)).toEqual([false, true]);
  });

  it('ends its session when it is denied', async () => {
    const turn = await start();
    await turn.nextRequest();
    const session = await turn.startedSession();
    await turn.reply({ reply: 'deny', note: 'use tabs' });
    await endOf(turn.handle);
    expect(await endOf(session)).toEqual({ status: 'Canceled' });
    expect(turn.session.commits).toEqual([]);
    expect(turn.stages()).toEqual(['begun', 'content_complete', 'failed']);
    expect(JSON.stringify(turn.scripted.modelCalls.at(-1)?.messages)).toContain('The user says: use tabs');
  });

  it('ends with a turn that is cancelled while it waits', async () => {
    const turn = await start();
    await turn.nextRequest();
    const session = await turn.startedSession();
    await turn.handle.signal(cancelTurnSignal);
    await endOf(turn.handle);
    expect(await endOf(session)).toEqual({ status: 'Canceled' });
    expect(turn.scripted.keeps.map(({ commit }) => commit)).toEqual([false]);
  });

  it('is not waited for once its session has ended', async () => {
    const turn = await start();
    await turn.nextRequest();
    const sessionId = turn.scripted.toolCalls[0]?.writeSession?.sessionId ?? '';
    await turn.handle.signal(writeSessionEndedSignal, { sessionId, end: 'cancelled' });
    await endOf(turn.handle);
    expect(turn.scripted.keeps.map(({ commit }) => commit)).toEqual([false]);
    expect(turn.stages()).toEqual(['begun', 'content_complete', 'failed']);
  });
});
