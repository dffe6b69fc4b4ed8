/**
 * Covers write sessions from outside, over real servers and files: one lock and one write, whatever happens around
 * them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createInputRepository } from '../../src/db/inputs/input-repository.ts';
import { createTurnRepository } from '../../src/db/turns/turn-repository.ts';
import { writeSessionWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { contentRefOf } from '../../src/write-session/content-ref.ts';
import { createWriteSessions, type WriteSessions } from '../../src/write-session-service/write-sessions.ts';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import { isTemporalUnavailable, WorkersMissingError } from '../../src/temporal/temporal-unavailable.ts';
import { sweepRows } from '../../worker/sweeper.ts';
import { sweptSessions } from '../../worker/swept-rows.ts';
import { describeWriteSessions } from '../gateway/support/write-sessions-contract.ts';
import { raceWithCancel, raceWithTimer, runRaces } from './support/session-races.ts';
import { sessionInput } from '../support/scripted-session.ts';
import { HeldCommits, SessionWorld } from './support/session-world.ts';
import { endOf } from '../support/workflow-end.ts';
import { turnInput, userMessage } from '../support/turn-fixtures.ts';

const held = new HeldCommits();
let world: SessionWorld;
beforeAll(async () => {
  world = await SessionWorld.open({ held });
});
afterAll(() => world.close());

/** Every session of these tests ends with its test, because they all share one lock. */
afterEach(async () => {
  held.release();
  for (const { sessionId } of await world.deps.repository.list('project', 100)) {
    const row = await world.row(sessionId);
    if (row.state !== 'ended') await world.sessions.cancel(sessionId);
  }
});

describeWriteSessions('on Temporal and Postgres', () => ({
  sessions: world.sessions,
  stored: (sessionId, text) => world.stored(sessionId, text),
}));

const finalize = async (sessionId: string, text: string) =>
  world.sessions.finalize({
    sessionId,
    request: { content: await world.stored(sessionId, text) },
    updateId: randomUUID(),
  });

/** Leaves what a begin leaves that dies after its insert. */
const halfStarted = async (turnId?: string): Promise<string> => {
  const input = sessionInput(turnId === undefined ? {} : { turnId });
  await world.deps.repository.insert(input, { targetKey: 'docs/big.md', maxConcurrent: 1 });
  return input.sessionId;
};

const age = (sessionId: string, ms: number) =>
  world.database.db
    .updateTable('write_sessions')
    .set({ started_at: new Date(Date.now() - ms) })
    .where('session_id', '=', sessionId)
    .execute();

/**
 * Has the next update fail as Temporal fails it while a task that a worker has lost is about to run again; later ones
 * reach Temporal.
 */
const failNextUpdate = (): void => {
  const { workflowService } = world.deps.client;
  const { updateWorkflowExecution } = workflowService;
  const refuse = () => {
    workflowService.updateWorkflowExecution = updateWorkflowExecution;
    const details = 'Unable to perform workflow execution update due to Workflow Task in failed state.';
    return Promise.reject(
      Object.assign(new Error(details), { code: 9, details, metadata: { get: () => [] } }),
    );
  };
  workflowService.updateWorkflowExecution = Object.assign(refuse, updateWorkflowExecution);
};

describe('a session', () => {
  it('is finalized though the worker has just lost a task of it', async () => {
    const sessionId = await world.beginSession();
    failNextUpdate();
    expect(await finalize(sessionId, 'late')).toMatchObject({ kind: 'committed' });
    expect(await world.file()).toBe('late');
  });

  it('writes its content byte by byte and ends its row before anybody is answered', async () => {
    const sessionId = await world.beginSession();
    const outcome = await finalize(sessionId, 'one\r\ntwo');
    expect(outcome).toMatchObject({ kind: 'committed', content: { bytes: 8, lines: 2 } });
    expect(await world.file()).toBe('one\r\ntwo');
    expect(await world.row(sessionId)).toMatchObject({ state: 'ended', stage: 'committed', outcome });
  });

  it('costs its callers one activity, since the commit ends the row', async () => {
    const sessionId = await world.beginSession();
    await finalize(sessionId, 'text');
    const { events } = await world.workflow(sessionId).fetchHistory();
    const activities = events?.flatMap(
      ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
    );
    expect(activities).toEqual(['commitWrite']);
  });

  it('after its end is answered from the row: yes to the same content, no to another', async () => {
    const sessionId = await world.beginSession();
    const first = await finalize(sessionId, 'text');
    await endOf(world.workflow(sessionId));
    expect(await finalize(sessionId, 'text')).toEqual(first);
    expect(await finalize(sessionId, 'other')).toEqual({ kind: 'ended', stage: 'committed' });
    expect(await world.sessions.readStatus(sessionId)).toEqual({ row: await world.row(sessionId) });
    expect(await world.sessions.cancel(sessionId)).toEqual({ kind: 'ended', stage: 'committed' });
  });

  it('is written once by 20 finalizes at once, and each gets that answer', async () => {
    const sessionId = await world.beginSession();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => finalize(sessionId, 'once')));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['committed']));
    expect((await world.row(sessionId)).attempt).toBe(1);
  });

  it('stays open after a commit that failed, and gives the reason', async () => {
    const sessionId = await world.beginSession({ operation: 'append', targetFile: 'missing.md' });
    expect(await finalize(sessionId, 'text')).toMatchObject({ kind: 'failed', code: 'write_failed' });
    expect(await world.sessions.readStatus(sessionId)).toMatchObject({
      status: { stage: 'awaiting_content' },
    });
    expect(await world.row(sessionId)).toMatchObject({
      state: 'open',
      stage: 'awaiting_content',
      plan: null,
    });
  });

  it('is unknown when it never existed', async () => {
    const unknown = randomUUID();
    expect(await world.sessions.readStatus(unknown)).toBeUndefined();
    expect(await finalize(unknown, 'x')).toEqual({ kind: 'not_found' });
    expect(await world.sessions.cancel(unknown)).toEqual({ kind: 'not_found' });
    await world.sessions.touch(unknown);
  });

  it('commits the draft that a touch has announced', async () => {
    const sessionId = await world.beginSession();
    await world.sessions.touch(sessionId, await world.stored(sessionId, 'draft'));
    const outcome = await world.sessions.finalize({ sessionId, request: {}, updateId: randomUUID() });
    expect(outcome.kind).toBe('committed');
    expect(await world.file()).toBe('draft');
  });

  it('is cancelled without a write', async () => {
    const sessionId = await world.beginSession({ targetFile: 'cancelled.md' });
    expect(await world.sessions.cancel(sessionId)).toEqual({ kind: 'cancelled' });
    expect(await finalize(sessionId, 'late')).toEqual({ kind: 'ended', stage: 'cancelled' });
    expect(await world.file('cancelled.md')).toBeUndefined();
  });

  it('is not begun for a target outside the workspace', async () => {
    expect(await world.begin({ targetFile: '../outside.md' })).toMatchObject({ kind: 'invalid' });
  });

  it.each([
    ['a directory', 'folder'],
    ['a link to a directory', 'link'],
    ['no regular file', 'fifo'],
  ])('is not begun for %s, which no content could ever replace', async (_what, targetFile) => {
    const at = (name: string): string => join(world.workspaceRoot, name);
    await mkdir(at('folder'), { recursive: true });
    if (!existsSync(at('link'))) await symlink('folder', at('link'));
    if (!existsSync(at('fifo'))) execFileSync('mkfifo', [at('fifo')]);
    const outcome = await world.begin({ targetFile, operation: 'overwrite' });
    expect(outcome).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/is a directory|not a regular file/),
    });
  });
});

describe('the draft of a session', () => {
  const drafted = async (fields: { inactivityMs?: number } = {}): Promise<string> => {
    const sessionId = await world.beginSession(fields);
    expect(await world.draft(sessionId, 'draft')).toEqual({ kind: 'stored', offset: 5 });
    return sessionId;
  };

  it('goes when it is cancelled, committed or expires', async () => {
    const cancelled = await drafted();
    await world.sessions.cancel(cancelled);
    const committed = await drafted();
    expect(
      await world.sessions.finalize({ sessionId: committed, request: {}, updateId: 'draft' }),
    ).toMatchObject({ kind: 'committed' });
    const expired = await drafted({ inactivityMs: 3_000 });
    await endOf(world.workflow(expired));
    expect((await world.row(expired)).stage).toBe('expired');
    expect(await world.drafts()).toEqual([]);
  });
});

describe('the content of a session', () => {
  it('stays after a finalize that failed, and goes with the end of its session, whatever that is', async () => {
    const append = { operation: 'append', targetFile: 'nothing-to-append-to.md' } as const;
    const [sessionId, expiring] = [
      await world.beginSession(append),
      await world.beginSession({ ...append, targetFile: 'other.md', owner: 'another', inactivityMs: 6_000 }),
    ];
    for (const id of [sessionId, expiring]) {
      expect(await finalize(id, 'same text')).toMatchObject({ kind: 'failed' });
    }
    const left = async (...ids: string[]) =>
      (await world.contents())
        .map((name) => name.slice(0, sessionId.length))
        .filter((id) => ids.includes(id));
    expect(new Set(await left(sessionId, expiring))).toEqual(new Set([sessionId, expiring]));
    await world.sessions.cancel(sessionId);
    expect(await left(sessionId, expiring)).toEqual([expiring]);
    await endOf(world.workflow(expiring));
    expect(await left(sessionId, expiring)).toEqual([]);
    const committed = await world.beginSession();
    expect(await finalize(committed, 'same text')).toMatchObject({ kind: 'committed' });
    expect(await left(committed)).toEqual([]);
    expect(await world.file()).toBe('same text');
  });
});

describe('a session that a person must approve', () => {
  const approved = (before: string | null) => ({ inputId: 'turn/1', before });
  const sha256 = (text: string): string => contentRefOf(text).sha256;

  it('is finalized only with a reply, and says which one it waits for', async () => {
    const sessionId = await world.beginSession({ needsApproval: true, targetFile: 'held.md' });
    expect(await finalize(sessionId, 'text')).toEqual({ kind: 'approval_required' });
    await world.sessions.hold(sessionId, { inputId: 'turn/1', until: Date.now() + 60_000 });
    expect(await finalize(sessionId, 'text')).toEqual({ kind: 'approval_required', inputId: 'turn/1' });
    expect(await world.sessions.finalize({ sessionId, request: {}, updateId: 'draft' })).toEqual({
      kind: 'approval_required',
      inputId: 'turn/1',
    });
    expect(await world.file('held.md')).toBeUndefined();
    const request = { content: await world.stored(sessionId, 'text'), approval: approved(null) };
    expect(await world.sessions.finalize({ sessionId, request, updateId: 'reply' })).toMatchObject({
      kind: 'committed',
    });
    expect(await world.file('held.md')).toBe('text');
  });

  it('is not written over a file that differs from the one shown', async () => {
    const first = await world.beginSession({ targetFile: 'shown.md' });
    await finalize(first, 'as it was shown');
    const sessionId = await world.beginSession({
      needsApproval: true,
      operation: 'overwrite',
      targetFile: 'shown.md',
    });
    const content = await world.stored(sessionId, 'new');
    const commit = (before: string | null) =>
      world.sessions.finalize({
        sessionId,
        request: { content, approval: approved(before) },
        updateId: randomUUID(),
      });
    const changed = {
      kind: 'failed',
      code: 'write_failed',
      reason: 'The file changed after it was approved.',
    };
    expect(await commit(sha256('something else'))).toEqual(changed);
    expect(await commit(null)).toEqual(changed);
    expect(await world.file('shown.md')).toBe('as it was shown');
    expect(await commit(sha256('as it was shown'))).toMatchObject({ kind: 'committed' });
    expect(await world.file('shown.md')).toBe('new');
  });

  it('gives its slot back, keeps its target, and says who waits', async () => {
    const turns = createTurnRepository(world.database.db);
    await turns.insert(turnInput('asks'), 'hash', userMessage);
    const sessionId = await world.beginSession({
      needsApproval: true,
      targetFile: 'waits.md',
      turnId: 'asks',
    });
    const inputs = createInputRepository(world.database.db);
    const options = ['allow', 'deny'] as const;
    const request = { options, commit: { sessionId, before: null } };
    await inputs.prepare({ turnId: 'asks', n: 1, kind: 'commit', request, argsHash: null, diff: null });
    await inputs.open('asks', 1, { message: '', default: 'deny', expiresAt: new Date() });
    expect(await world.begin({ targetFile: 'other.md' })).toMatchObject({ kind: 'conflict', lock: 'slots' });
    expect(await world.sessions.hold(sessionId, { inputId: 'asks/1', until: Date.now() + 60_000 })).toBe(
      true,
    );
    expect(await world.deps.repository.listWithoutSlot()).toEqual([sessionId]);
    const other = await world.beginSession({ targetFile: 'other.md' });
    expect(await world.begin({ targetFile: 'waits.md' })).toMatchObject({
      kind: 'conflict',
      lock: 'target',
      holders: [{ sessionId, openInputId: 'asks/1' }],
    });
    await world.sessions.cancel(other);
    await world.sessions.cancel(sessionId);
    expect(await world.deps.repository.listWithoutSlot()).toEqual([]);
    expect(await world.sessions.hold(sessionId, { inputId: 'asks/1', until: 0 })).toBe(false);
  });
});

describe('the lock', () => {
  it('lets one of ten begins at once through', async () => {
    const begins = await Promise.all(
      Array.from({ length: 10 }, (_, i) => world.begin({ targetFile: `file-${i}.md` })),
    );
    expect(begins.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begins.filter(({ kind }) => kind === 'conflict')).toHaveLength(9);
  });

  it('takes a repeated begin for the same one', async () => {
    const sessionId = randomUUID();
    const begins = await Promise.all(Array.from({ length: 10 }, () => world.begin({ sessionId })));
    expect(new Set(begins.map(({ kind }) => kind))).toEqual(new Set(['begun']));
    expect(await world.sessions.readStatus(sessionId)).toMatchObject({
      status: { stage: 'awaiting_content' },
    });
  });

  it('is free once silence has ended a session that nobody touched', async () => {
    const first = await world.beginSession({ inactivityMs: 3_000 });
    expect(await world.begin()).toMatchObject({ kind: 'conflict' });
    await endOf(world.workflow(first));
    expect((await world.begin()).kind).toBe('begun');
    expect(await world.row(first)).toMatchObject({ stage: 'expired', outcome: null });
  });

  it('is free at once after a termination from outside', async () => {
    const first = await world.beginSession();
    await world.workflow(first).terminate('test');
    expect((await world.begin()).kind).toBe('begun');
    expect((await world.sessions.readStatus(first))?.row).toMatchObject({
      state: 'ended',
      stage: 'cancelled',
    });
    expect(await finalize(first, 'late')).toEqual({ kind: 'ended', stage: 'cancelled' });
  });

  it('is free at once after a reset from outside: the new run may not write', async () => {
    const first = await world.beginSession();
    await world.sessions.readStatus(first);
    await world.worker.reset(writeSessionWorkflowId(first));
    expect((await world.begin({ targetFile: 'second.md' })).kind).toBe('begun');
    expect((await world.row(first)).stage).toBe('cancelled');
  });

  it('is not held by a begin that died before its workflow was started, once that is certain', async () => {
    const sessionId = await halfStarted();
    expect(await world.begin()).toMatchObject({ kind: 'conflict' });
    await age(sessionId, 10_000);
    expect((await world.begin()).kind).toBe('begun');
    expect((await world.row(sessionId)).stage).toBe('cancelled');
  });

  it('is held for a turn whose begin died: it asks again with the same id, and finds the session started', async () => {
    await createTurnRepository(world.database.db).insert(turnInput('turn'), 'hash', userMessage);
    const sessionId = await halfStarted('turn');
    await age(sessionId, 10_000);
    expect(await world.begin()).toMatchObject({ kind: 'conflict' });
    expect((await world.begin({ sessionId, turnId: 'turn' })).kind).toBe('begun');
    expect((await finalize(sessionId, 'text')).kind).toBe('committed');
  });
});

describe('without Temporal', () => {
  const away = createTemporalClient({ address: '127.0.0.1:1' }, 'default');
  const sessions = (): WriteSessions => createWriteSessions({ ...world.deps, client: away.client });
  afterAll(() => away.connection.close());

  /**
   * Expects `work` to fail with the error that becomes a 503, long before a caller gives up. Without a deadline it
   * would wait for ever.
   */
  const refusedInTime = async (work: Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    const failure = await work.catch((error: unknown) => error);
    expect(isTemporalUnavailable(failure)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  };

  it('a begin says so, and does not hold the lock', async () => {
    await refusedInTime(world.begin({}, sessions()));
    expect((await world.begin()).kind).toBe('begun');
  });

  it('a finalize, a cancel and a status say so, and the session goes on', async () => {
    const sessionId = await world.beginSession();
    const request = { content: await world.stored(sessionId, 'later') };
    await Promise.all([
      refusedInTime(sessions().finalize({ sessionId, request, updateId: 'request' })),
      refusedInTime(sessions().cancel(sessionId)),
      refusedInTime(sessions().readStatus(sessionId)),
    ]);
    expect((await world.sessions.finalize({ sessionId, request, updateId: 'request' })).kind).toBe(
      'committed',
    );
  });

  it('an ended session is still answered: its row knows all', async () => {
    const sessionId = await world.beginSession();
    const outcome = await finalize(sessionId, 'text');
    const request = { content: await world.stored(sessionId, 'text') };
    expect(await sessions().finalize({ sessionId, request, updateId: 'request' })).toEqual(outcome);
  });
});

describe('without workers', () => {
  it('a status says that they are missing, not that Temporal is; the session goes on when there are some', async () => {
    const sessions = createWriteSessions({ ...world.deps, taskQueue: 'polled-by-nobody' });
    const begun = await world.begin({ targetFile: 'docs/other.md' }, sessions);
    if (begun.kind !== 'begun') throw new Error(`expected begun, received ${begun.kind}`);
    const { sessionId } = begun.row;
    const failure = await sessions.readStatus(sessionId).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkersMissingError);
    expect(isTemporalUnavailable(failure)).toBe(true);
    await world.workflow(sessionId).terminate('test');
    expect((await sessions.readStatus(sessionId))?.row).toMatchObject({ stage: 'cancelled' });
  });

  it('a status does not report missing workers when Temporal is away', async () => {
    const away = createTemporalClient({ address: '127.0.0.1:1' }, 'default');
    const sessionId = await world.beginSession();
    const sessions = createWriteSessions({ ...world.deps, client: away.client });
    const failure = await sessions.readStatus(sessionId).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(WorkersMissingError);
    expect(isTemporalUnavailable(failure)).toBe(true);
    await away.connection.close();
  });
});

describe('a commit that its workflow does not live to see', () => {
  it('counts, since the closer finds the target written', async () => {
    const sessionId = await world.beginSession();
    held.hold('after');
    const answer = finalize(sessionId, 'written');
    await held.arrival;
    await world.workflow(sessionId).terminate('test');
    expect((await world.begin({ targetFile: 'second.md' })).kind).toBe('begun');
    expect(await world.row(sessionId)).toMatchObject({ stage: 'committed', outcome: { kind: 'committed' } });
    expect((await answer).kind).toBe('committed');
    held.release();
  });

  it('never begins to write once the lock has moved on', async () => {
    const sessionId = await world.beginSession({ targetFile: 'late.md' });
    held.hold('before');
    const answer = finalize(sessionId, 'late');
    await held.arrival;
    await world.workflow(sessionId).terminate('test');
    expect((await world.begin({ targetFile: 'late.md' })).kind).toBe('begun');
    held.release();
    expect(await answer).toEqual({ kind: 'ended', stage: 'cancelled' });
    expect(await world.file('late.md')).toBeUndefined();
  });

  it('is given up by a cancel, which reports its outcome', async () => {
    const sessionId = await world.beginSession();
    held.hold('after');
    const answer = finalize(sessionId, 'given up too late');
    await held.arrival;
    expect(await world.sessions.cancel(sessionId)).toEqual({ kind: 'ended', stage: 'committed' });
    expect((await answer).kind).toBe('committed');
    held.release();
  });
});

describe('the sweeper', () => {
  const turns = () => createTurnRepository(world.database.db);
  const swept = () => sweptSessions({ ...world.deps, turns: turns() });

  it('frees the lock of a terminated session by itself', async () => {
    const sessionId = await world.beginSession();
    await world.workflow(sessionId).terminate('test');
    await age(sessionId, 10_000);
    await sweepRows(swept(), pino({ level: 'silent' }));
    expect(await world.row(sessionId)).toMatchObject({ state: 'ended', stage: 'cancelled' });
  });

  it('does not touch a session whose workflow runs', async () => {
    const sessionId = await world.beginSession();
    await age(sessionId, 10_000);
    await sweepRows(swept(), pino({ level: 'silent' }));
    expect(await world.row(sessionId)).toMatchObject({ state: 'open' });
  });

  it('ends a session that only its turn could commit, once that has ended; its text stays for a day', async () => {
    await turns().insert(turnInput('forsakes'), 'hash', userMessage);
    const sessionId = await world.beginSession({ turnId: 'forsakes', needsApproval: true });
    const content = await world.stored(sessionId, 'never allowed');
    await age(sessionId, 10_000);
    await sweepRows(swept(), pino({ level: 'silent' }));
    expect(await world.row(sessionId)).toMatchObject({ state: 'open' });
    await turns().close({ turnId: 'forsakes', outside: { batches: [] } });
    await world.database.db.updateTable('write_sessions').set({ swept_at: null }).execute();
    await sweepRows(swept(), pino({ level: 'silent' }));
    expect(await world.row(sessionId)).toMatchObject({ state: 'ended', stage: 'cancelled' });
    expect(await world.contents()).toContain(`${sessionId}.${content.sha256}`);
  });

  it('finishes a close whose closer died after it had marked the row', async () => {
    const sessionId = await world.beginSession();
    await world.workflow(sessionId).terminate('test');
    await world.deps.repository.markClosing(sessionId);
    await age(sessionId, 10_000);
    await sweepRows(swept(), pino({ level: 'silent' }));
    expect(await world.row(sessionId)).toMatchObject({ state: 'ended', stage: 'cancelled' });
  });
});

/** There are 100 races here; `npm run test:slow` runs 1,000. */
describe('races', () => {
  it('of a finalize with a cancel have one outcome, the same for all callers', async () => {
    expect(await runRaces(world, 50, raceWithCancel)).toEqual(new Set(['committed', 'cancelled']));
  });

  it('of a finalize with the inactivity timer have one outcome', async () => {
    expect((await runRaces(world, 50, raceWithTimer)).size).toBeGreaterThan(0);
  });
});
