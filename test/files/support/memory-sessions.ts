import { randomUUID } from 'node:crypto';
import type { CommitPlan } from '../../../src/contracts/payload/session-activity-payloads.ts';
import type { ContentRef, WriteOperation } from '../../../src/contracts/write-session/write-session.ts';
import type { CommitOutcome } from '../../../src/contracts/write-session/session-messages.ts';
import type { CommitSession, CommitSessions } from '../../../src/files/commit/commit-sessions.ts';

type Row = { -readonly [Field in keyof CommitSession]: CommitSession[Field] };

/** Rows of write sessions, held in memory under the rules of the real ones; a test may alter them. */
export class MemorySessions implements CommitSessions {
  readonly rows = new Map<string, Row>();
  readonly #runs = new Map<string, string>();
  /**
   * Awaited before an attempt is told that its plan is stored; at that point it is the newest, and its temp is whole.
   */
  planStored: (sessionId: string, attempt: number) => Promise<void> = () => Promise.resolve();
  /** The error with which the next `markUndone` rejects, as if the process had died just before it. */
  dyingOf: Error | undefined;

  begin(targetFile: string, operation: WriteOperation, targetKey = targetFile): Row {
    const sessionId = randomUUID();
    const row: Row = {
      sessionId,
      projectId: 'p',
      targetFile,
      targetKey,
      operation,
      attempt: 0,
      state: 'open',
      stage: 'awaiting_content',
      plan: null,
      outcome: null,
      endedAt: null,
      undoneAt: null,
    };
    this.rows.set(sessionId, row);
    return row;
  }

  end(sessionId: string, stage: 'committed' | 'expired', endedAt = new Date()): void {
    const row = this.rows.get(sessionId);
    if (row) Object.assign(row, { state: 'ended', stage, endedAt });
  }

  find(sessionId: string): Promise<CommitSession | undefined> {
    const row = this.rows.get(sessionId);
    return Promise.resolve(row && { ...row });
  }

  beginAttempt(sessionId: string, runId: string): Promise<CommitSession | undefined> {
    const row = this.rows.get(sessionId);
    const run = this.#runs.get(sessionId) ?? runId;
    if (row?.state !== 'open' || run !== runId) return Promise.resolve(undefined);
    this.#runs.set(sessionId, run);
    row.stage = 'committing';
    row.attempt += 1;
    return Promise.resolve({ ...row });
  }

  async storePlan(sessionId: string, attempt: number, plan: CommitPlan): Promise<CommitSession | undefined> {
    const stored = this.#change(sessionId, attempt, { plan });
    await this.planStored(sessionId, attempt);
    return stored;
  }

  failAttempt(
    sessionId: string,
    attempt: number,
    outcome: CommitOutcome,
  ): Promise<CommitSession | undefined> {
    return Promise.resolve(
      this.#change(sessionId, attempt, { outcome, plan: null, stage: 'awaiting_content' }),
    );
  }

  endCommitted(sessionId: string, attempt: number, content: ContentRef): Promise<CommitSession | undefined> {
    const ended = { state: 'ended', stage: 'committed', endedAt: new Date() } as const;
    return Promise.resolve(
      this.#change(sessionId, attempt, { outcome: { kind: 'committed', content }, ...ended }),
    );
  }

  /** Settles when the latest undo has ended, since undos run one after the other (as with the lock of the database). */
  #undoing: Promise<unknown> = Promise.resolve();

  withFreeTarget<T>(
    targetKey: string,
    work: (assertLockHeld: () => Promise<void>) => Promise<T>,
  ): Promise<T | undefined> {
    const isTaken = (): boolean =>
      [...this.rows.values()].some((row) => row.targetKey === targetKey && row.state !== 'ended');
    const run = this.#undoing.then(() => (isTaken() ? undefined : work(() => Promise.resolve())));
    this.#undoing = run.catch(() => undefined);
    return run;
  }

  markUndone(sessionId: string): Promise<CommitSession | undefined> {
    const death = this.dyingOf;
    this.dyingOf = undefined;
    if (death) return Promise.reject(death);
    const row = this.rows.get(sessionId);
    if (row?.state !== 'ended' || row.stage !== 'committed' || row.undoneAt !== null) {
      return Promise.resolve(undefined);
    }
    row.undoneAt = new Date();
    return Promise.resolve({ ...row });
  }

  #change(sessionId: string, attempt: number, fields: Partial<Row>): CommitSession | undefined {
    const row = this.rows.get(sessionId);
    if (row?.state !== 'open' || row.attempt !== attempt) return undefined;
    return { ...Object.assign(row, fields) };
  }
}
