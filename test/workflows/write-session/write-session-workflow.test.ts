/**
 * Covers the write session workflow on a real server with scripted activities; every task is replayed from the first
 * event.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WriteSessionActivities } from '../../../activities/write-session/write-session-activities.ts';
import { temporalCliLink } from '../../../src/stack/setup/temporal-cli.mjs';
import type { CommitWriteInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import {
  WorkflowUpdateFailedError,
  type WorkflowHandle,
  type WorkflowHandleWithFirstExecutionRunId,
} from '@temporalio/client';
import {
  cancelSessionSignal,
  finalizeSignal,
  finalizeUpdate,
  holdSignal,
  sessionStatusQuery,
  touchSignal,
} from '../../../src/temporal/write-session-messages.ts';
import {
  contentRef,
  DRAFT,
  failedOutcome,
  ScriptedSession,
  sessionInput,
  startSession,
} from '../../support/scripted-session.ts';
import { temporalAddress, TurnWorker } from '../../support/turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';
import { eventually } from '../../support/eventually.ts';
import type {
  FinalizeRequest,
  CommitOutcome,
} from '../../../src/contracts/write-session/session-messages.ts';
import { ROOT } from '../../support/root.ts';
import { untyped } from '../../support/untyped.ts';

const A = contentRef('a');
const B = contentRef('b');

/** The scripts of all tests by session id, since one worker plays them all. */
const scripts = new Map<string, WriteSessionActivities>();
const scriptOf = (sessionId: string): WriteSessionActivities => {
  const script = scripts.get(sessionId);
  if (!script) throw new Error(`no script for session ${sessionId}`);
  return script;
};
const activities: WriteSessionActivities = {
  commitWrite: (input) => scriptOf(input.sessionId).commitWrite(input),
  closeWriteSession: (input) => scriptOf(input.sessionId).closeWriteSession(input),
};

let worker: TurnWorker;
beforeAll(async () => {
  worker = await TurnWorker.start(activities);
});
afterAll(() => worker.stop());

const startScripted = (
  script: WriteSessionActivities,
  fields: Parameters<typeof sessionInput>[0] = {},
  workflowId?: string,
): Promise<WorkflowHandleWithFirstExecutionRunId> => {
  const input = sessionInput(fields);
  scripts.set(input.sessionId, script);
  return startSession(worker, input, workflowId);
};

/** Functions that end the commits which would otherwise never end: a worker cannot stop while they run. */
const releases: (() => void)[] = [];
const release = (): void => {
  for (const one of releases.splice(0)) one();
};
afterEach(release);

const finalize = (handle: WorkflowHandle, content?: typeof A) =>
  handle.executeUpdate(finalizeUpdate, { args: [content ? { content } : {}] });

const acceptedUpdates = async (handle: WorkflowHandle): Promise<number> =>
  ((await handle.fetchHistory()).events ?? []).filter(
    (event) => event.workflowExecutionUpdateAcceptedEventAttributes,
  ).length;

const timersStarted = async (handle: WorkflowHandle): Promise<number[]> =>
  (await timersOf(handle)).map(({ ms }) => ms);

/**
 * Resolves to the timers with their lengths in ms and the times at which the workflow started them: those of its tasks,
 * in ms since 1970.
 */
const timersOf = async (handle: WorkflowHandle) => {
  const events = (await handle.fetchHistory()).events ?? [];
  const byId = new Map(events.map((event) => [String(event.eventId), event]));
  const taskAt = (completedId: unknown): number => {
    const completed = byId.get(String(completedId))?.workflowTaskCompletedEventAttributes;
    return msOf(byId.get(String(completed?.startedEventId))?.eventTime);
  };
  return events.flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [{ ms: msOf(timer.startToFireTimeout), at: taskAt(timer.workflowTaskCompletedEventId) }] : [],
  );
};

type Moment = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

const msOf = (time: Moment): number =>
  Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1e6);

/** Returns a session whose commits end only with `release`. `begins` resolves when the first of them has begun. */
const stuckCommit = (outcome: CommitOutcome = failedOutcome) => {
  let began = (): void => undefined;
  const begins = new Promise<void>((resolve) => (began = resolve));
  const session = new ScriptedSession(() => {
    began();
    return new Promise((resolve) => releases.push(() => resolve(outcome)));
  });
  return { session, begins };
};

describe('finalize', () => {
  it('as an update commits and answers the outcome', async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session);
    expect(await finalize(handle, A)).toEqual({ kind: 'committed', content: A });
    expect(await handle.result()).toMatchObject({ end: 'committed', content: A });
    expect(session.commits).toMatchObject([{ content: A, firstExecutionRunId: handle.firstExecutionRunId }]);
    expect(session.closes).toEqual([]);
  });

  it('by a worker of an earlier version, whose commit does not end the row, is followed by a close', async () => {
    const session = new ScriptedSession();
    const commitWrite = async (input: CommitWriteInput) => {
      const { ended: _unknown, ...outcome } = await session.commitWrite(input);
      return outcome;
    };
    const handle = await startScripted({ ...session, commitWrite });
    expect(await finalize(handle, A)).toEqual({ kind: 'committed', content: A });
    expect(await handle.result()).toMatchObject({ end: 'committed', content: A });
    expect(session.closes.map(({ end }) => end)).toEqual(['committed']);
  });

  it('as a signal of the same name, without anything, commits the draft', async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session);
    await handle.signal(finalizeSignal);
    expect(await handle.result()).toMatchObject({ end: 'committed', content: DRAFT });
    expect(session.commits[0]).not.toHaveProperty('content');
  });

  it('by the command line of Temporal commits: people and scripts need nothing else', async () => {
    const handle = await startScripted(new ScriptedSession());
    const cli = temporalCliLink(join(ROOT, '.orion', 'tools'));
    const args = ['workflow', 'signal', '--workflow-id', handle.workflowId, '--name', 'finalize'];
    await promisify(execFile)(cli, [...args, '--address', temporalAddress()]);
    expect(await handle.result()).toMatchObject({ end: 'committed', content: DRAFT });
  });

  it('commits the draft that the turn has announced, when no content is named', async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session);
    await handle.signal(touchSignal, { draft: A });
    expect(await finalize(handle)).toEqual({ kind: 'committed', content: A });
  });

  it('several finalizes at once write once, and each gets the outcome', async () => {
    const { session, begins } = stuckCommit({ kind: 'committed', content: A });
    const handle = await startScripted(session);
    const asked = [A, A, undefined, B].map((content) => finalize(handle, content));
    await begins;
    await eventually('all updates', async () => (await acceptedUpdates(handle)) === asked.length);
    release();
    const outcomes = await Promise.all(asked);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed', 'ended']);
    expect(session.commits).toHaveLength(1);
  });

  it('is a new try after a commit that failed, and the failure gives its reason', async () => {
    const session = new ScriptedSession((n) => (n === 1 ? failedOutcome : undefined));
    const handle = await startScripted(session);
    expect(await finalize(handle, A)).toEqual(failedOutcome);
    expect(await handle.query(sessionStatusQuery)).toMatchObject({ stage: 'awaiting_content' });
    expect(await finalize(handle, A)).toEqual({ kind: 'committed', content: A });
  });

  it('outlives attempts that are lost: they are repeated within 2 s each', async () => {
    const session = new ScriptedSession((n) =>
      n < 3 ? Promise.reject(new Error('worker lost')) : undefined,
    );
    const handle = await startScripted(session);
    expect(await finalize(handle, A)).toEqual({ kind: 'committed', content: A });
    expect(session.commits).toHaveLength(3);
  });

  it.each([[], [undefined], [null]])('without an input (%j) commits the draft', async (...input) => {
    const handle = await startScripted(new ScriptedSession());
    await handle.signal(touchSignal, { draft: A });
    const args: [FinalizeRequest] = untyped(input);
    expect(await handle.executeUpdate(finalizeUpdate, { args })).toEqual({ kind: 'committed', content: A });
  });

  it('with nonsense is rejected as an update and ignored as a signal', async () => {
    const handle = await startScripted(new ScriptedSession());
    for (const value of [{ content: { sha256: 'x' } }, { content: null }, 7, 'x', [A], true]) {
      const nonsense: FinalizeRequest = untyped(value);
      await expect(handle.executeUpdate(finalizeUpdate, { args: [nonsense] })).rejects.toThrow(
        WorkflowUpdateFailedError,
      );
      await handle.signal(finalizeSignal, nonsense);
    }
    await handle.signal(touchSignal, untyped(7));
    expect(await handle.query(sessionStatusQuery)).toMatchObject({ stage: 'awaiting_content' });
    expect(await finalize(handle, A)).toMatchObject({ kind: 'committed' });
  });
});

describe('silence', () => {
  it('is awaited with one timer, and 100 touches start no other one', async () => {
    const handle = await startScripted(new ScriptedSession(), { inactivityTimeoutMs: 200_000 });
    await Promise.all(Array.from({ length: 100 }, () => handle.signal(touchSignal)));
    await finalize(handle, A);
    expect(await timersStarted(handle)).toEqual([200_000]);
  });

  it('ends the session, and releases what waits for it', async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session, { inactivityTimeoutMs: 300 });
    expect(await endOf(handle)).toMatchObject({
      status: 'Failed',
      type: 'session_expired',
      retryable: false,
      details: { end: 'expired' },
    });
    expect(session.closes.map(({ end }) => end)).toEqual(['expired']);
  });

  it('is counted from the last activity: the timer is armed again for what is left', async () => {
    const inactivityTimeoutMs = 5_000;
    const handle = await startScripted(new ScriptedSession(), { inactivityTimeoutMs });
    const { createdAt } = await handle.query(sessionStatusQuery);
    await eventually('a later time', () => Date.now() > createdAt + 200);
    await handle.signal(touchSignal);
    const { lastActivity, expiresAt } = await handle.query(sessionStatusQuery);
    expect(lastActivity).toBeGreaterThan(createdAt);
    expect(expiresAt).toBe(lastActivity + inactivityTimeoutMs);
    await endOf(handle);
    const [first, second, ...more] = await timersOf(handle);
    expect(first?.ms).toBe(inactivityTimeoutMs);
    expect(second).toEqual({ ms: Math.max(1, expiresAt - (second?.at ?? 0)), at: expect.any(Number) });
    expect(more.length).toBeLessThanOrEqual(1);
  });
});

describe('cancel', () => {
  it('ends the session without a commit', async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session);
    await handle.signal(cancelSessionSignal);
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(session.commits).toEqual([]);
  });

  it("is what Temporal's own Cancel does, and the row is closed", async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session);
    await handle.cancel();
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
    expect(session.closes.map(({ end }) => end)).toEqual(['cancelled']);
  });

  it('gives up a commit that does not end, and answers the callers that wait for it', async () => {
    const { session, begins } = stuckCommit();
    const handle = await startScripted(session);
    const answer = finalize(handle, A);
    await begins;
    await handle.signal(cancelSessionSignal);
    expect(await answer).toEqual({ kind: 'ended', stage: 'cancelled' });
    expect(await endOf(handle)).toEqual({ status: 'Canceled' });
  });

  it('ends as committed when it finds the target written, and answers so', async () => {
    const { session, begins } = stuckCommit();
    const written = {
      ...session,
      closeWriteSession: ({ sessionId }: { sessionId: string }) =>
        Promise.resolve({ sessionId, end: 'committed' as const, content: A }),
    };
    const handle = await startScripted(written);
    const answer = finalize(handle, A);
    await begins;
    await handle.cancel();
    expect(await answer).toEqual({ kind: 'committed', content: A });
  });
});

it('a session tells the turn that began it how it ended, before it returns', async () => {
  const turn = await startScripted(new ScriptedSession(), {}, 'turn/waits-for-a-session');
  const session = await startScripted(new ScriptedSession(), { turnId: 'waits-for-a-session' });
  await finalize(session, A);
  const ended: unknown = await session.result();
  // A signal that comes during a workflow task is in no history before that task is over; a query waits for that.
  await turn.query(sessionStatusQuery);
  const { events } = await turn.fetchHistory();
  const signal = events?.find((event) => event.workflowExecutionSignaledEventAttributes);
  const { signalName, input } = signal?.workflowExecutionSignaledEventAttributes ?? {};
  expect(signalName).toBe('writeSessionEnded');
  expect(JSON.parse(Buffer.from(input?.payloads?.[0]?.data ?? []).toString())).toEqual(ended);
  await turn.signal(cancelSessionSignal);
});

it('a session ends even when the turn that began it is gone', async () => {
  const handle = await startScripted(new ScriptedSession(), { turnId: 'never-was' });
  await finalize(handle, A);
  expect(await handle.result()).toMatchObject({ end: 'committed' });
});

describe('a session that a person must approve', () => {
  const approval = { inputId: 'turn/1', before: null };

  it('is finalized by nobody without a reply: update, signal and draft', async () => {
    const session = new ScriptedSession();
    const handle = await startScripted(session, { needsApproval: true });
    expect(await finalize(handle, A)).toEqual({ kind: 'approval_required' });
    await handle.signal(holdSignal, { inputId: 'turn/1', until: Date.now() + 60_000 });
    expect(await finalize(handle)).toEqual({ kind: 'approval_required', inputId: 'turn/1' });
    await handle.signal(finalizeSignal, { content: A });
    expect(await handle.query(sessionStatusQuery)).toMatchObject({ stage: 'awaiting_content' });
    const allowed = handle.executeUpdate(finalizeUpdate, { args: [{ content: A, approval }] });
    expect(await allowed).toEqual({ kind: 'committed', content: A });
    expect(session.commits).toMatchObject([{ content: A, approval }]);
    expect(await endOf(handle)).toMatchObject({ result: { end: 'committed' } });
  });

  it('does not expire while it waits, and does after it', async () => {
    const handle = await startScripted(new ScriptedSession(), {
      needsApproval: true,
      inactivityTimeoutMs: 4_000,
    });
    // The query is answered once the first timer runs; a hold that came before would be the only one.
    await handle.query(sessionStatusQuery);
    const until = Date.now() + 1_000;
    await handle.signal(holdSignal, { inputId: 'turn/1', until });
    await handle.signal(holdSignal, untyped('nonsense'));
    const { expiresAt } = await handle.query(sessionStatusQuery);
    expect(expiresAt).toBe(until + 4_000);
    expect(await endOf(handle)).toMatchObject({ type: 'session_expired' });
    expect(Date.now()).toBeGreaterThanOrEqual(until + 4_000);
    expect(await timersStarted(handle)).toHaveLength(2);
  });
});
