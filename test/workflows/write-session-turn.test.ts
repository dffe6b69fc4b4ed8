/**
 * Covers write sessions inside a turn on a real server with scripted activities; every task is replayed from the first
 * event.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, it } from '@jest/globals';
import { contentRefOf } from '../../src/write-session/content-ref.ts';
import { appendEventsSignal, cancelTurnSignal } from '../../src/temporal/turn-messages.ts';
import {
  clientFinalizeFailedSignal,
  writeSessionEndedSignal,
} from '../../src/temporal/write-session-messages.ts';
import { tailOf } from './support/scripted-activities.ts';
import { beginCall, begins, scriptedWriting } from './support/scripted-writing.ts';
import { newTurnInput } from '../support/turn-worker.ts';
import { type TurnStarter, useTurnWorker } from '../support/use-turn-worker.ts';
import { endOf } from '../support/workflow-end.ts';
import type { WorkerActivities } from '../../worker/worker-options.ts';
import { eventually } from '../support/eventually.ts';

const turnsWith = useTurnWorker();
let worker: TurnStarter | undefined;

const play = (activities: WorkerActivities, input: Parameters<typeof newTurnInput>[0] = {}) => {
  worker = turnsWith(activities);
  return worker.startTurn(newTurnInput(input));
};

/** Resolves when the turn gives its client time to finalize, which is the only wait for which it sets a timer. */
const waitForClient = (handle: WorkflowHandle): Promise<true> =>
  eventually('the wait for the client', async () =>
    ((await handle.fetchHistory()).events ?? []).some((event) => event.timerStartedEventAttributes),
  );

describe('a write session in the workflow', () => {
  it('names the stored segment instead of the text, and says which part of the reply was a file', async () => {
    const { scripted, activities } = scriptedWriting([
      begins,
      { texts: ['a\n', 'b\n', 'DONE'] },
      { texts: ['Done.'] },
    ]);
    await (await play(activities)).result();
    const sessionId = scripted.toolCalls[0]?.writeSession?.sessionId;
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(scripted.keeps).toEqual([
      expect.objectContaining({
        sessionId,
        commit: true,
        content: contentRefOf('a\nb\n'),
        phases: [{ end: 'ended', skip: 0, source: { epoch: 201 } }],
      }),
    ]);
    expect(scripted.closes[0]?.writeSessions).toEqual([
      { from: 9, to: 17, line: expect.stringMatching(/^\[wrote docs\/big\.md: 2 lines, sha256 /) },
    ]);
  });

  it('takes back the steps that brought the parts of a long file, once a line stands for them', async () => {
    const { scripted, activities } = scriptedWriting([
      begins,
      { texts: ['line one of it\nline two of it\nli'], end: 'length' },
      { texts: ['ne three of it\n'], end: 'length' },
      { texts: ['DONE\n'] },
      { texts: ['Done.'] },
    ]);
    await (await play(activities)).result();
    expect(scripted.keeps.map(({ commit }) => commit)).toEqual([false, false, true]);
    expect(scripted.modelCalls.map(({ withdrawn }) => withdrawn)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      [3, 4],
    ]);
    const roles = scripted.modelCalls.map(({ messages }) => messages.map(({ role }) => role));
    expect(roles).toEqual([
      ['user'],
      ['assistant', 'tool'],
      ['assistant', 'system'],
      ['assistant', 'system'],
      ['assistant', 'system'],
    ]);
    expect(JSON.stringify(scripted.modelCalls.at(-1)?.messages)).not.toContain('three');
  });

  it('keeps what is durably held when the content step is lost, and commits nothing', async () => {
    const { scripted, activities } = scriptedWriting([begins]);
    const handle = await play({
      ...activities,
      callModel: async (input) => {
        if (input.step === 1) return activities.callModel(input);
        await handle.signal(appendEventsSignal, tailOf(input, ['a\n', 'DONE\n']));
        throw ApplicationFailure.nonRetryable('every worker died');
      },
    });
    expect(await endOf(handle)).toMatchObject({ type: 'model_unavailable' });
    expect(scripted.keeps).toEqual([
      expect.objectContaining({
        commit: false,
        phases: [{ end: 'cut', skip: 0, source: { text: 'a\nDONE\n' } }],
      }),
    ]);
  });

  it('lets a client finalize first, and takes its end for the turn’s', async () => {
    const { scripted, activities } = scriptedWriting([
      begins,
      { texts: ['a\nDONE\n'] },
      { texts: ['Done.'] },
    ]);
    const content = contentRefOf('b\n');
    const handle = await play(
      {
        ...activities,
        keepWriteSession: async (input) => {
          const kept = await scripted.keepWriteSession(input);
          const turn = worker?.client.workflow.getHandle(`turn/${input.turnId}`);
          await turn?.signal(writeSessionEndedSignal, {
            sessionId: input.sessionId,
            end: 'committed',
            content,
          });
          return kept;
        },
      },
      { writeSession: 'client' },
    );
    await handle.result();
    expect(scripted.keeps.map(({ commit }) => commit)).toEqual([false]);
    expect(scripted.closes[0]?.writeSessions?.[0]?.line).toContain(content.sha256);
  });

  it('waits for the client no longer than until its commit has failed', async () => {
    const { scripted, activities } = scriptedWriting([
      begins,
      { texts: ['a\nDONE\n'] },
      { texts: ['Done.'] },
    ]);
    const handle = await play(activities, { writeSession: 'client' });
    await waitForClient(handle);
    await handle.signal(clientFinalizeFailedSignal, scripted.keeps[0]?.sessionId ?? '');
    await handle.result();
    expect(scripted.keeps.map(({ commit }) => commit)).toEqual([false, true]);
    const { events } = await handle.fetchHistory();
    expect(events?.filter((event) => event.timerFiredEventAttributes)).toEqual([]);
  });

  it('finalizes well before the session would expire, however short its timeout', async () => {
    const texts = [begins, { texts: ['a\nDONE\n'] }, { texts: ['Done.'] }];
    const { scripted, activities } = scriptedWriting(texts);
    const handle = await play(activities, { writeSession: 'client', sessionInactivityMs: 400 });
    await handle.result();
    expect(scripted.keeps.map(({ commit }) => commit)).toEqual([false, true]);
    const { events } = await handle.fetchHistory();
    const timers = events?.flatMap((event) => event.timerStartedEventAttributes?.startToFireTimeout ?? []);
    expect(timers?.map(({ nanos }) => nanos)).toEqual([200_000_000]);
  });

  it('waits for the client no longer than a cancel: the draft stays', async () => {
    const { scripted, activities } = scriptedWriting([begins, { texts: ['a\nDONE\n'] }]);
    const handle = await play(activities, { writeSession: 'client' });
    await waitForClient(handle);
    await handle.signal(cancelTurnSignal);
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(scripted.keeps.map(({ commit }) => commit)).toEqual([false]);
  });

  it('does not write into a session that has ended meanwhile, and the next one replaces a failed one', async () => {
    const { scripted, activities } = scriptedWriting([
      begins,
      { texts: ['a\nDONE\n'] },
      { calls: [beginCall('overwrite')] },
      { texts: ['a\nDONE\n'] },
      { texts: ['Done.'] },
    ]);
    const failed = { kind: 'failed', code: 'write_failed', reason: 'it exists' } as const;
    const handle = await play({
      ...activities,
      keepWriteSession: async (input) => {
        const kept = await scripted.keepWriteSession(input);
        return scripted.keeps.length === 1 ? failed : kept;
      },
    });
    await handle.result();
    const [first, second] = scripted.toolCalls.map(({ writeSession }) => writeSession);
    expect(second?.replaces).toBe(first?.sessionId);
    expect(second?.sessionId).not.toBe(first?.sessionId);
    expect(scripted.keeps).toHaveLength(2);
    expect(JSON.stringify(scripted.modelCalls[2]?.messages)).toContain('it exists');
  });

  it('ignores a wrong end sent by hand', async () => {
    const { scripted, activities } = scriptedWriting([
      begins,
      { texts: ['a\nDONE\n'] },
      { texts: ['Done.'] },
    ]);
    const handle = await play({
      ...activities,
      executeTool: async (input) => {
        await handle.signal('writeSessionEnded', { sessionId: input.writeSession?.sessionId, end: 'eaten' });
        return activities.executeTool(input);
      },
    });
    await expect(handle.result()).resolves.toMatchObject({ status: 'completed' });
    expect(scripted.keeps.map(({ commit }) => commit)).toEqual([true]);
  });
});
