import { describe, expect, it } from '@jest/globals';
import type { CommitPlan } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { CommitSessions } from '../../../src/files/commit/commit-sessions.ts';
import { contentRef, failedOutcome } from '../../support/scripted-session.ts';

/** The sessions that a committer commits, and what only a test does to them. */
export interface SessionsUnderContract {
  readonly sessions: CommitSessions;
  /** Resolves to the id of a new session that is open and has a target of its own, named by its id. */
  begin(): Promise<string>;
  /** Ends a session as anything other than a commit does. */
  expire(sessionId: string): Promise<void>;
}

const plan: CommitPlan = {
  before: null,
  after: { sha256: 'a'.repeat(64), bytes: 10 },
  content: contentRef('a'),
};
const content = contentRef('a');

/** Describes what a committer may rely on, whatever store keeps the rows. */
export const describeCommitSessions = (name: string, open: () => SessionsUnderContract): void => {
  describe(`sessions to commit: ${name}`, () => {
    it('give each attempt a number of its own, and ignore an older one', async () => {
      const { sessions, begin } = open();
      const id = await begin();
      expect(await sessions.beginAttempt(id, 'run')).toMatchObject({ attempt: 1, state: 'open', plan: null });
      expect(await sessions.beginAttempt(id, 'run')).toMatchObject({ attempt: 2 });
      expect(await sessions.storePlan(id, 1, plan)).toBeUndefined();
      expect(await sessions.failAttempt(id, 1, failedOutcome)).toBeUndefined();
      expect(await sessions.endCommitted(id, 1, content)).toBeUndefined();
      expect(await sessions.storePlan(id, 2, plan)).toMatchObject({ attempt: 2, plan });
      expect(await sessions.find(id)).toMatchObject({ attempt: 2, plan, state: 'open', outcome: null });
    });

    it('let only their first run begin an attempt', async () => {
      const { sessions, begin } = open();
      const id = await begin();
      await sessions.beginAttempt(id, 'run');
      expect(await sessions.beginAttempt(id, 'another run')).toBeUndefined();
      expect(await sessions.find(id)).toMatchObject({ attempt: 1 });
    });

    it('wait for content, commit, and after a failure wait for content without a plan', async () => {
      const { sessions, begin } = open();
      const id = await begin();
      expect(await sessions.find(id)).toMatchObject({ stage: 'awaiting_content' });
      expect(await sessions.beginAttempt(id, 'run')).toMatchObject({ stage: 'committing' });
      await sessions.storePlan(id, 1, plan);
      const failed = { stage: 'awaiting_content', state: 'open', plan: null, outcome: failedOutcome };
      expect(await sessions.failAttempt(id, 1, failedOutcome)).toMatchObject(failed);
    });

    it('end with their commit: no attempt begins, and none is heard', async () => {
      const { sessions, begin } = open();
      const id = await begin();
      await sessions.beginAttempt(id, 'run');
      const ended = { state: 'ended', stage: 'committed', outcome: { kind: 'committed', content } };
      const row = await sessions.endCommitted(id, 1, content);
      expect(row).toMatchObject(ended);
      expect(row?.endedAt).toBeInstanceOf(Date);
      expect(await sessions.beginAttempt(id, 'run')).toBeUndefined();
      expect(await sessions.endCommitted(id, 1, contentRef('b'))).toBeUndefined();
      expect(await sessions.find(id)).toMatchObject(ended);
    });

    it('can be undone once, and only after a commit', async () => {
      const { sessions, begin, expire } = open();
      const id = await begin();
      expect(await sessions.markUndone(id)).toBeUndefined();
      await sessions.beginAttempt(id, 'run');
      await sessions.endCommitted(id, 1, content);
      expect((await sessions.markUndone(id))?.undoneAt).toBeInstanceOf(Date);
      expect(await sessions.markUndone(id)).toBeUndefined();
      const expired = await begin();
      await expire(expired);
      expect(await sessions.markUndone(expired)).toBeUndefined();
    });

    it('keep their target until they have ended', async () => {
      const { sessions, begin, expire } = open();
      const id = await begin();
      const work = () => sessions.withFreeTarget(id, () => Promise.resolve('done'));
      expect(await work()).toBeUndefined();
      await expire(id);
      expect(await work()).toBe('done');
      expect(await sessions.withFreeTarget('nobody', () => Promise.resolve('done'))).toBe('done');
    });

    it('rethrow what the work under a free target throws, and free the target again', async () => {
      const { sessions } = open();
      const broken = sessions.withFreeTarget('free', () => Promise.reject(new Error('disk')));
      await expect(broken).rejects.toThrow('disk');
      const worked = sessions.withFreeTarget('free', (assertLockHeld) =>
        assertLockHeld().then(() => 'again'),
      );
      expect(await worked).toBe('again');
    });

    it('say nothing of ids that nobody has given', async () => {
      const { sessions } = open();
      const nobody = '00000000-0000-4000-8000-000000000000';
      expect(await sessions.find(nobody)).toBeUndefined();
      expect(await sessions.beginAttempt(nobody, 'run')).toBeUndefined();
      expect(await sessions.storePlan(nobody, 1, plan)).toBeUndefined();
      expect(await sessions.markUndone(nobody)).toBeUndefined();
    });
  });
};
