import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';

/** Sessions whose times are remembered; forgetting one costs at most one touch too many. */
const MAX_REMEMBERED = 1_000;

interface SessionActivityDeps {
  /** Tells the session's workflow of activity; may fail. */
  readonly touch: (sessionId: string) => Promise<unknown>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Notes activity of a session, which then expires later. Each touch is an event of a history, so only one per tenth of
 * the inactivity timeout is sent, and none in the first (docs/write-sessions.md). Never makes its caller fail.
 */
export type NoteActivity = (
  session: Pick<WriteSessionRow, 'sessionId' | 'startedAt' | 'input'>,
  onFailure: (error: unknown) => void,
) => void;

/** Notifies workflows of activity. It remembers when it last notified each, and forgets all of them above a number. */
export const createSessionActivity = ({ touch, now }: SessionActivityDeps): NoteActivity => {
  const touched = new Map<string, number>();
  return ({ sessionId, startedAt, input }, onFailure) => {
    const last = touched.get(sessionId) ?? startedAt.getTime();
    if (now() - last < input.inactivityTimeoutMs / 10) return;
    if (touched.size >= MAX_REMEMBERED) touched.clear();
    touched.set(sessionId, now());
    touch(sessionId).catch((error: unknown) => {
      touched.delete(sessionId);
      onFailure(error);
    });
  };
};
