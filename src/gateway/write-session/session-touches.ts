import type { WriteSessionRow } from '../../db/write-sessions/write-session-row.ts';

/** Largest number of sessions whose last touch is remembered. Forgetting a session costs at most one touch too many. */
const MAX_REMEMBERED = 1_000;

interface SessionTouchesDeps {
  /** Tells the workflow of a session that there is activity. May reject. */
  readonly touch: (sessionId: string) => Promise<unknown>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Notes activity of a session, which then expires later. Each touch is an event in the history of its workflow. So a
 * gateway sends about one per tenth of the inactivity timeout, and none in the first tenth of a session
 * (docs/write-sessions.md). Never throws: `onFailure` is called when a touch fails.
 */
export type TouchSession = (
  session: Pick<WriteSessionRow, 'sessionId' | 'startedAt' | 'input'>,
  onFailure: (error: unknown) => void,
) => void;

/**
 * Creates the function that notes activity. It remembers when it last touched each session, and forgets all of them
 * when they become too many.
 */
export const createSessionTouches = ({ touch, now }: SessionTouchesDeps): TouchSession => {
  const lastTouchedAt = new Map<string, number>();
  return ({ sessionId, startedAt, input }, onFailure) => {
    const last = lastTouchedAt.get(sessionId) ?? startedAt.getTime();
    if (now() - last < input.inactivityTimeoutMs / 10) return;
    if (lastTouchedAt.size >= MAX_REMEMBERED) lastTouchedAt.clear();
    lastTouchedAt.set(sessionId, now());
    touch(sessionId).catch((error: unknown) => {
      lastTouchedAt.delete(sessionId);
      onFailure(error);
    });
  };
};
