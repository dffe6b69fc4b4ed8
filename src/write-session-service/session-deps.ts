import type { Client } from '@temporalio/client';
import type { WriteSessionRepository } from '../db/write-sessions/write-session-repository.ts';

/** The part that writes files, as far as closing a session needs it. */
export interface SessionCommitter {
  /** Deletes what attempts have left behind, then checks whether the target holds the content of the stored plan. */
  endAttempts(sessionId: string): Promise<'committed' | 'not_committed'>;
  /** Removes draft and contents of a session that has ended. Never rejects. */
  forget(sessionId: string): Promise<void>;
}

export interface SessionDeps {
  readonly client: Client;
  readonly repository: WriteSessionRepository;
  readonly committer: SessionCommitter;
  readonly taskQueue: string;
}
