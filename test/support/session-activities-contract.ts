import { describe, expect, it } from '@jest/globals';
import type { WriteSessionActivities } from '../../activities/write-session/write-session-activities.ts';
import type { CommitWriteInput } from '../../src/contracts/payload/session-activity-payloads.ts';
import type { ContentRef } from '../../src/contracts/write-session/write-session.ts';

/** The activities that a session's workflow calls, and the means to begin sessions for them. */
export interface SessionActivitiesUnderContract {
  readonly activities: WriteSessionActivities;
  /** Begins a session with the operation `create`, on a target that does not exist yet. */
  begin(): Promise<CommitWriteInput>;
  /** Begins another session, whose commits fail. */
  beginThatFailsToCommit(): Promise<CommitWriteInput>;
  /** Stores a text where a commit of that session finds it. */
  store(sessionId: string, text: string): Promise<ContentRef>;
  /** Makes a text the draft of that session. */
  draft(sessionId: string, text: string): Promise<ContentRef>;
}

/** Describes what the workflow of a write session relies on; `open` is called once in each test. */
export const describeSessionActivities = (name: string, open: () => SessionActivitiesUnderContract): void => {
  describe(`activities of a write session: ${name}`, () => {
    it('commit the named content and end the session, which leaves nothing to close', async () => {
      const { activities, begin, store } = open();
      const input = await begin();
      const content = await store(input.sessionId, 'the text');
      const committed = { kind: 'committed', content };
      const ended = { sessionId: input.sessionId, end: 'committed', content };
      expect(await activities.commitWrite({ ...input, content })).toEqual({ ...committed, ended });
      // This is the retry of an attempt whose result was lost.
      expect(await activities.commitWrite({ ...input, content })).toEqual({ ...committed, ended });
    });

    it('commit the draft when no content is named', async () => {
      const { activities, begin, draft } = open();
      const input = await begin();
      const content = await draft(input.sessionId, 'the draft');
      expect(await activities.commitWrite(input)).toMatchObject({ kind: 'committed', content });
    });

    it('say why a commit fails, which ends nothing', async () => {
      const { activities, beginThatFailsToCommit, store } = open();
      const input = await beginThatFailsToCommit();
      const content = await store(input.sessionId, 'the text');
      const outcome = await activities.commitWrite({ ...input, content });
      expect(outcome).toEqual({ kind: 'failed', code: 'write_failed', reason: expect.any(String) });
      const { sessionId, firstExecutionRunId } = input;
      const end = { sessionId, end: 'expired' };
      expect(await activities.closeWriteSession({ sessionId, firstExecutionRunId, end: 'expired' })).toEqual(
        end,
      );
    });

    it('end an open session as requested, and for good', async () => {
      const { activities, begin } = open();
      const { sessionId, firstExecutionRunId } = await begin();
      const close = (end: 'cancelled' | 'expired') =>
        activities.closeWriteSession({ sessionId, firstExecutionRunId, end });
      expect(await close('cancelled')).toEqual({ sessionId, end: 'cancelled' });
      expect(await close('expired')).toEqual({ sessionId, end: 'cancelled' });
    });

    it('leave a committed session committed, whoever closes it', async () => {
      const { activities, begin, store } = open();
      const input = await begin();
      const { sessionId, firstExecutionRunId } = input;
      const content = await store(sessionId, 'the text');
      await activities.commitWrite({ ...input, content });
      const closed = await activities.closeWriteSession({ sessionId, firstExecutionRunId, end: 'cancelled' });
      expect(closed).toEqual({ sessionId, end: 'committed', content });
    });
  });
};
