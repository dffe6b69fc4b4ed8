import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommitPlan } from '../../../src/contracts/payload/session-activity-payloads.ts';
import {
  createWriteSessionRepository,
  UnknownSessionError,
} from '../../../src/db/write-sessions/write-session-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { describeCommitSessions } from '../../files/support/commit-sessions-contract.ts';
import { contentRef, failedOutcome, sessionInput } from '../../support/scripted-session.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.db.deleteFrom('write_sessions').execute());

const repository = () => createWriteSessionRepository(database.db);

/** Inserts a new session on a target of its own; resolves to its id. */
const insertSession = async (maxConcurrent = 1): Promise<string> => {
  const input = sessionInput();
  const { kind } = await repository().insert(input, { targetKey: input.sessionId, maxConcurrent });
  expect(kind).toBe('inserted');
  return input.sessionId;
};

const plan: CommitPlan = {
  before: null,
  after: { sha256: 'a'.repeat(64), bytes: 10 },
  content: contentRef('a'),
};
const zero = { promptTokens: 0, completionTokens: 0 };
const committed = { kind: 'committed', content: contentRef('a') } as const;

describeCommitSessions('in Postgres', () => ({
  sessions: repository(),
  begin: () => insertSession(10),
  expire: async (sessionId) => void (await repository().end(sessionId, 'expired')),
}));

describe('insert', () => {
  it('stores the start input, exactly', async () => {
    const input = sessionInput({ intent: 'nul \0 lone \ud800' });
    const { row } = (await repository().insert(input, { targetKey: 'key', maxConcurrent: 1 })) as {
      row: unknown;
    };
    expect(row).toMatchObject({ input, slot: 1, attempt: 0, state: 'open', stage: 'awaiting_content' });
    expect(await repository().find(input.sessionId)).toEqual(row);
  });

  it('lets as many of 20 sessions at once over two processes through as there are slots', async () => {
    const repositories = [repository(), createWriteSessionRepository(database.openAnother())];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (repositories[i % 2] ?? repository()).insert(sessionInput(), {
          targetKey: `target-${i}`,
          maxConcurrent: 3,
        }),
      ),
    );
    const slots = outcomes.flatMap((outcome) => (outcome.kind === 'inserted' ? [outcome.row.slot] : []));
    expect(new Set(slots)).toEqual(new Set([1, 2, 3]));
    expect(slots).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome.kind === 'busy')).toHaveLength(17);
  });

  it('lets no two sessions write one target, however many slots are free', async () => {
    const first = sessionInput();
    await repository().insert(first, { targetKey: 'same', maxConcurrent: 5 });
    expect(await repository().insert(sessionInput(), { targetKey: 'same', maxConcurrent: 5 })).toMatchObject({
      kind: 'busy',
      rows: [{ sessionId: first.sessionId }],
    });
  });

  it('lists all sessions that have the slots: any of them may be the one that nobody runs any longer', async () => {
    const holders = [await insertSession(2), await insertSession(2)];
    const outcome = await repository().insert(sessionInput(), { targetKey: 'third', maxConcurrent: 2 });
    const rows = outcome.kind === 'busy' ? outcome.rows : [];
    expect(rows.map(({ sessionId }) => sessionId).toSorted()).toEqual(holders.toSorted());
  });

  it('takes no slot from another key, and for a turn takes those of the key that started it', async () => {
    await createTurnRepository(database.db).insert(turnInput('by-a'), 'hash', userMessage, 'key-a');
    const begin = (targetKey: string, owner?: string, turnId?: string) =>
      repository().insert(sessionInput(turnId === undefined ? {} : { turnId }), {
        targetKey,
        owner,
        maxConcurrent: 1,
      });
    expect(await begin('one', undefined, 'by-a')).toMatchObject({
      kind: 'inserted',
      row: { owner: 'key-a' },
    });
    expect(await begin('two', 'key-a')).toMatchObject({ kind: 'busy', lock: 'slots' });
    expect(await begin('two', 'key-b')).toMatchObject({ kind: 'inserted', row: { owner: 'key-b', slot: 1 } });
    expect(await begin('three')).toMatchObject({ kind: 'inserted', row: { owner: 'local' } });
    expect(await begin('one', 'key-c')).toMatchObject({ kind: 'busy', lock: 'target' });
  });

  it('names the turn of a session that is in the way, and says whether the turn has left it open', async () => {
    const turns = createTurnRepository(database.db);
    const start = (turnId: string, conversationId: string) =>
      turns.insert(turnInput(turnId, { conversationId }), 'hash', userMessage);
    const inTheWayOf = async (turnId: string) => {
      const outcome = await repository().insert(sessionInput({ turnId }), {
        targetKey: 'same',
        maxConcurrent: 9,
      });
      return outcome.kind === 'busy' ? outcome.rows : [];
    };
    const ends = [
      ['running', { here: false, elsewhere: false }],
      ['completed', { here: true, elsewhere: false }],
      ['cancelled', { here: true, elsewhere: true }],
    ] as const;
    for (const [status, expected] of ends) {
      await database.db.deleteFrom('write_sessions').execute();
      await start(`left-${status}`, `talk-${status}`);
      const left = sessionInput({ turnId: `left-${status}` });
      await repository().insert(left, { targetKey: 'same', maxConcurrent: 9 });
      await start(`elsewhere-${status}`, `other-${status}`);
      const [elsewhere] = await inTheWayOf(`elsewhere-${status}`);
      if (status !== 'running') {
        const terminal = { type: 'done', status, reason: 'answered', usage: zero } as const;
        await turns.close(answered(`left-${status}`, '0-1', { terminal }));
        await start(`here-${status}`, `talk-${status}`);
      }
      const [here] = await inTheWayOf(status === 'running' ? `left-${status}` : `here-${status}`);
      expect(elsewhere).toMatchObject({
        sessionId: left.sessionId,
        conversationId: `talk-${status}`,
        isAbandoned: false,
      });
      const [again] = await inTheWayOf(`elsewhere-${status}`);
      expect({ here: here?.isAbandoned, elsewhere: again?.isAbandoned }).toEqual(expected);
    }
  });

  it('answers a repeat with its own row, also while another session could be in the way', async () => {
    const input = sessionInput();
    const first = await repository().insert(input, { targetKey: 'key', maxConcurrent: 1 });
    expect(await repository().insert(input, { targetKey: 'key', maxConcurrent: 1 })).toEqual({
      ...first,
      kind: 'exists',
    });
  });

  it('locks until the end: closing is not enough', async () => {
    const sessionId = await insertSession();
    await repository().markClosing(sessionId);
    expect((await repository().insert(sessionInput(), { targetKey: 'next', maxConcurrent: 1 })).kind).toBe(
      'busy',
    );
    await repository().end(sessionId, 'expired');
    expect((await repository().insert(sessionInput(), { targetKey: 'next', maxConcurrent: 1 })).kind).toBe(
      'inserted',
    );
  });
});

describe('an attempt', () => {
  it('has the next number, and only the newest one may go on', async () => {
    const sessionId = await insertSession();
    expect(await repository().beginAttempt(sessionId, 'run')).toMatchObject({ attempt: 1, state: 'open' });
    expect(await repository().beginAttempt(sessionId, 'run')).toMatchObject({ attempt: 2 });
    expect(await repository().storePlan(sessionId, 1, plan)).toBeUndefined();
    expect(await repository().failAttempt(sessionId, 1, failedOutcome)).toBeUndefined();
    expect(await repository().endCommitted(sessionId, 1, committed.content)).toBeUndefined();
    const stored = await repository().storePlan(sessionId, 2, plan);
    expect(stored).toMatchObject({ stage: 'committing', plan, outcome: null });
    expect(await repository().find(sessionId)).toEqual(stored);
  });

  it('has a number of its own, also among 20 attempts at once', async () => {
    const sessionId = await insertSession();
    const rows = await Promise.all(
      Array.from({ length: 20 }, () => repository().beginAttempt(sessionId, 'run')),
    );
    expect(new Set(rows.map((row) => row?.attempt)).size).toBe(20);
  });

  it('is not given to another run, nor for a session that is closing or has ended', async () => {
    const sessionId = await insertSession();
    expect(await repository().setRunId(sessionId, 'first')).toBe('first');
    expect(await repository().setRunId(sessionId, 'reset')).toBe('first');
    expect(await repository().beginAttempt(sessionId, 'reset')).toBeUndefined();
    const attempt = (await repository().beginAttempt(sessionId, 'first'))?.attempt ?? 0;
    await repository().markClosing(sessionId);
    expect(await repository().beginAttempt(sessionId, 'first')).toBeUndefined();
    expect(await repository().storePlan(sessionId, attempt, plan)).toBeUndefined();
    expect(await repository().endCommitted(sessionId, attempt, committed.content)).toBeUndefined();
    await repository().end(sessionId, 'cancelled');
    expect(await repository().beginAttempt(sessionId, 'first')).toBeUndefined();
  });

  it('keeps the reason of a failed commit, and forgets what the commit was about to do', async () => {
    const sessionId = await insertSession();
    await repository().beginAttempt(sessionId, 'run');
    await repository().storePlan(sessionId, 1, plan);
    await repository().failAttempt(sessionId, 1, failedOutcome);
    expect(await repository().find(sessionId)).toMatchObject({
      state: 'open',
      stage: 'awaiting_content',
      plan: null,
      outcome: failedOutcome,
    });
  });
});

describe('the end', () => {
  it('is written once: of 20 at once one wins, and all get the same answer', async () => {
    const sessionId = await insertSession();
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, i) => repository().end(sessionId, i % 2 ? 'expired' : 'cancelled')),
    );
    expect(ends.filter(({ isEndedHere }) => isEndedHere)).toHaveLength(1);
    expect(new Set(ends.map(({ row }) => row.stage)).size).toBe(1);
    expect(await repository().markClosing(sessionId)).toEqual(ends[0]?.row);
  });

  it('is written with the outcome of a commit, by the newest attempt', async () => {
    const sessionId = await insertSession();
    await repository().beginAttempt(sessionId, 'run');
    const row = await repository().endCommitted(sessionId, 1, committed.content);
    expect(row).toMatchObject({ state: 'ended', stage: 'committed', outcome: committed });
    expect(row?.endedAt).toBeInstanceOf(Date);
    expect(await repository().end(sessionId, 'expired')).toEqual({ isEndedHere: false, row });
    expect(await repository().endCommitted(sessionId, 1, committed.content)).toBeUndefined();
  });

  it('keeps the outcome it is given', async () => {
    const sessionId = await insertSession();
    expect((await repository().end(sessionId, 'committed', committed)).row.outcome).toEqual(committed);
  });

  it('is an error when the session is unknown: nothing was ended', async () => {
    await expect(repository().end(sessionInput().sessionId, 'expired')).rejects.toThrow(UnknownSessionError);
  });

  it('can be undone once, if it was a commit', async () => {
    const [first, second] = [await insertSession(2), await insertSession(2)];
    await repository().end(first, 'committed', committed);
    await repository().end(second, 'expired');
    expect((await repository().markUndone(first))?.undoneAt).toBeInstanceOf(Date);
    expect(await repository().markUndone(first)).toBeUndefined();
    expect(await repository().markUndone(second)).toBeUndefined();
  });
});

describe('claimOpen', () => {
  const now = { olderThanMs: 0, limit: 10 };

  it('gives each session that has not ended to one of several sweepers, and not again for a while', async () => {
    const sessions = [await insertSession(9), await insertSession(9), await insertSession(9)];
    await repository().end(await insertSession(9), 'expired');
    await repository().markClosing(sessions[0] ?? '');
    const others = [1, 2, 3].map(() => createWriteSessionRepository(database.openAnother()));
    const claims = await Promise.all([repository(), ...others].map((sweeper) => sweeper.claimOpen(now)));
    const claimed = claims.flat().map(({ sessionId }) => sessionId);
    expect(claimed.toSorted()).toEqual(sessions.toSorted());
    expect(await repository().claimOpen(now)).toEqual([]);
  });

  it('does not claim a session that began just now', async () => {
    await insertSession();
    expect(await repository().claimOpen({ ...now, olderThanMs: 60_000 })).toEqual([]);
  });
});

it('lists the sessions of a project, newest first', async () => {
  const ids = [await insertSession(3), await insertSession(3), await insertSession(3)];
  await repository().insert(sessionInput({ projectId: 'other' }), { targetKey: 'other', maxConcurrent: 4 });
  const listed = await repository().list('project', 2);
  expect(listed.map(({ sessionId }) => sessionId)).toEqual([ids[2], ids[1]]);
});
