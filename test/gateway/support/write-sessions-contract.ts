import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ContentRef } from '../../../src/contracts/write-session/write-session.ts';
import type { WriteSessions } from '../../../src/write-session-service/write-sessions.ts';

/** Sessions of which one may be open at a time; `stored` puts a text where a finalize of that session finds it. */
export interface SessionServiceUnderContract {
  readonly sessions: WriteSessions;
  stored(sessionId: string, text: string): Promise<ContentRef>;
}

const request = (sessionId: string = randomUUID()) => ({
  sessionId,
  projectId: 'project',
  targetFile: 'docs/big.md',
  operation: 'overwrite' as const,
  intent: 'a contract',
});

/** Describes what the routes of write sessions rely on. No session is open before or after a test. */
export const describeWriteSessions = (name: string, open: () => SessionServiceUnderContract): void => {
  const begun = async (sessions: WriteSessions): Promise<string> => {
    const outcome = await sessions.begin(request());
    if (outcome.kind !== 'begun') throw new Error(`expected begun, received ${outcome.kind}`);
    return outcome.row.sessionId;
  };

  describe(`write sessions: ${name}`, () => {
    it('begin once under their id; while one is open there is no other on its target', async () => {
      const { sessions } = open();
      const asked = request();
      const first = await sessions.begin(asked);
      expect(first).toMatchObject({
        kind: 'begun',
        row: { sessionId: asked.sessionId, state: 'open', stage: 'awaiting_content' },
      });
      expect(await sessions.begin(asked)).toMatchObject({
        kind: 'begun',
        row: { sessionId: asked.sessionId },
      });
      expect(await sessions.begin(request())).toMatchObject({
        kind: 'conflict',
        holders: [{ sessionId: asked.sessionId, isAbandoned: false }],
      });
      await sessions.cancel(asked.sessionId);
      const next = await begun(sessions);
      await sessions.cancel(next);
    });

    it('commit once: later answers are the same, and there is nothing left to cancel', async () => {
      const { sessions, stored } = open();
      const sessionId = await begun(sessions);
      const content = await stored(sessionId, 'the text');
      const finalize = () => sessions.finalize({ sessionId, request: { content }, updateId: randomUUID() });
      expect(await finalize()).toMatchObject({ kind: 'committed', content });
      expect(await finalize()).toMatchObject({ kind: 'committed', content });
      expect(await sessions.cancel(sessionId)).toEqual({ kind: 'ended', stage: 'committed' });
      const outcome = { kind: 'committed', content };
      expect(await sessions.readStatus(sessionId)).toMatchObject({ row: { state: 'ended', outcome } });
    });

    it('stay cancelled', async () => {
      const { sessions, stored } = open();
      const sessionId = await begun(sessions);
      expect(await sessions.cancel(sessionId)).toEqual({ kind: 'cancelled' });
      const content = await stored(sessionId, 'too late');
      const late = sessions.finalize({ sessionId, request: { content }, updateId: randomUUID() });
      expect(await late).toEqual({ kind: 'ended', stage: 'cancelled' });
      expect(await sessions.touch(sessionId)).toBe(false);
      expect(await sessions.readStatus(sessionId)).toMatchObject({ row: { stage: 'cancelled' } });
    });

    it('say that an unknown id has no session', async () => {
      const { sessions, stored } = open();
      const sessionId = randomUUID();
      const content = await stored(sessionId, 'for nobody');
      expect(await sessions.readStatus(sessionId)).toBeUndefined();
      expect(await sessions.cancel(sessionId)).toEqual({ kind: 'not_found' });
      const call = { sessionId, request: { content }, updateId: randomUUID() };
      expect(await sessions.finalize(call)).toEqual({ kind: 'not_found' });
    });
  });
};
