import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { SessionEnded } from '../../../src/contracts/write-session/session-messages.ts';
import type {
  KeepOutcome,
  WriteSessionPort,
  WrittenSession,
} from '../../../src/protocol/ports/write-session-port.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';

/** A port that keeps with these outcomes, and what only a test learns of it and does to it. */
export interface WriteSessionsUnderContract {
  readonly writeSessions: Pick<WriteSessionPort, 'keep' | 'withdraw'>;
  noteReplaced(...args: Parameters<WriteSessionPort['noteReplaced']>): unknown;
  /** Returns how often the content of a session was kept. */
  kept(): number;
  /** Ends a session otherwise than by this turn. */
  end(ended: SessionEnded): Promise<void>;
  /** Cancels the turn. */
  cancel(): Promise<void>;
}

const TEXT = 'one\ntwo\n';
const content = contentRefOf(TEXT);

const written = (more: Partial<WrittenSession> = {}): WrittenSession => ({
  session: { sessionId: randomUUID(), target: 'a.md' },
  phases: [{ step: 1, skip: 0, end: 'ended', text: `${TEXT}DONE\n` }],
  content,
  isComplete: true,
  ...more,
});
const COMMITTED: KeepOutcome = { kind: 'committed', content };
const FAILED: KeepOutcome = { kind: 'failed', code: 'write_failed', reason: 'no space left' };

/**
 * Describes what the core relies on when it writes a session. `open` is called once in each test, with the outcome of
 * the first keep unless that succeeds.
 */
export const describeWriteSessionPort = (
  name: string,
  open: (outcome?: KeepOutcome) => Promise<WriteSessionsUnderContract>,
): void => {
  describe(`the port of write sessions: ${name}`, () => {
    it('keeps a draft until the content is complete, and then commits it', async () => {
      const { writeSessions, kept } = await open();
      const draft = written({ isComplete: false });
      expect(await writeSessions.keep(draft)).toEqual({ kind: 'kept' });
      expect(await writeSessions.keep({ ...draft, isComplete: true })).toEqual(COMMITTED);
      expect(kept()).toBe(2);
    });

    it('commits what needed an approval by that approval', async () => {
      const { writeSessions } = await open();
      const approval = { inputId: 'r1/1', before: 'c'.repeat(64) };
      expect(await writeSessions.keep(written({ approval }))).toEqual(COMMITTED);
    });

    it('resolves with the failure of a commit', async () => {
      const { writeSessions } = await open(FAILED);
      expect(await writeSessions.keep(written())).toEqual(FAILED);
    });

    it('withdraws an open session without an outcome', async () => {
      const { writeSessions } = await open();
      const { session } = written();
      expect(await writeSessions.withdraw(session)).toBeUndefined();
    });

    it('resolves with the commit of a session that a client has ended so', async () => {
      const { writeSessions, end, kept } = await open();
      const { session } = written();
      await end({ sessionId: session.sessionId, end: 'committed', content });
      expect(await writeSessions.keep(written({ session }))).toEqual(COMMITTED);
      expect(await writeSessions.withdraw(session)).toEqual(COMMITTED);
      expect(kept()).toBe(0);
    });

    it.each<Omit<SessionEnded, 'sessionId'>>([{ end: 'expired' }, { end: 'cancelled', content }])(
      'resolves with a failure for a session that has ended without a commit: %j',
      async (ended) => {
        const { writeSessions, end, kept } = await open();
        const { session } = written();
        await end({ sessionId: session.sessionId, ...ended });
        const failed = { kind: 'failed', code: 'write_failed', reason: expect.any(String) };
        expect(await writeSessions.withdraw(session)).toEqual(failed);
        expect(await writeSessions.keep(written({ session }))).toEqual(failed);
        expect(kept()).toBe(0);
      },
    );

    it('keeps what was written before a cancel', async () => {
      const { writeSessions, cancel, kept } = await open();
      await cancel();
      expect(await writeSessions.keep(written({ isComplete: false }))).toEqual({ kind: 'kept' });
      expect(kept()).toBe(1);
    });

    it('takes note of the lines that replace a text, and answers nothing', async () => {
      const { noteReplaced } = await open();
      expect(await noteReplaced({ from: 0, to: 9, line: '[a.md was written]' })).toBeUndefined();
    });
  });
};
