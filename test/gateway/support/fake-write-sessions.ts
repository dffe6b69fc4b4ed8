import { randomUUID } from 'node:crypto';
import type { FinalizeRequest } from '../../../src/contracts/write-session/session-messages.ts';
import type { SessionStage } from '../../../src/contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../../src/db/write-sessions/write-session-row.ts';
import type { CurrentText } from '../../../src/files/workspace/current-text.ts';
import type { WriteSessionParts } from '../../../src/gateway/write-session/write-session-parts.ts';
import type { BeginRequest } from '../../../src/write-session-service/begin-session.ts';
import type { SessionView } from '../../../src/write-session-service/session-status.ts';
import type { WriteSessions } from '../../../src/write-session-service/write-sessions.ts';
import type { FinalizeCall } from '../../../src/write-session-service/finalize-session.ts';
import type { CancelOutcome } from '../../../src/write-session-service/cancel-session.ts';

type UndoOutcome = Awaited<ReturnType<WriteSessions['undo']>>;
type FinalizeResult = Awaited<ReturnType<WriteSessions['finalize']>>;

const INACTIVITY_MS = 300_000;

/**
 * Write sessions in memory, one open at a time, that stand in for Postgres and Temporal. A suite holds them to the real
 * ones, except for `hold` and `undo`: a held session may expire here, and an undo touches no file.
 */
export class FakeWriteSessions implements WriteSessions {
  readonly byId = new Map<string, WriteSessionRow>();
  readonly finalized: { sessionId: string; request: FinalizeRequest; updateId: string }[] = [];
  /** Does what a worker could have done before the answer. */
  beforeAnswer: (sessionId: string, request: FinalizeRequest) => Promise<void> = () => Promise.resolve();
  readonly touched: string[] = [];
  /** When set, the next finalize answers it instead of committing. */
  outcome: FinalizeResult | undefined;
  undoOutcome: UndoOutcome = { kind: 'undone' };
  /** What a begin that is refused finds taken while a session is open. */
  lock: 'target' | 'slots' = 'target';
  readonly begun: BeginRequest[] = [];
  /** When set, every target is refused for this reason. */
  refusal: string | undefined;
  /** When set, every call that would reach Temporal throws it. */
  failure: Error | undefined;
  startedAt = new Date();
  /** Resolves to the present size of the file of every session. */
  targetBytes: () => Promise<number | null> = () => Promise.resolve(null);
  /** Resolves to the present text of the file of every session. */
  targetText: () => Promise<CurrentText> = () => Promise.resolve({ text: null });

  async begin(request: BeginRequest) {
    this.begun.push(request);
    await this.#reach();
    if (this.refusal !== undefined) return { kind: 'invalid' as const, reason: this.refusal };
    const known = this.byId.get(request.sessionId);
    const holders = this.open.map((row) => ({
      ...row,
      conversationId: row.turnId === null ? null : 'talk',
      openInputId: null,
      isAbandoned: false,
    }));
    if (!known && holders.length > 0) {
      return { kind: 'conflict' as const, lock: this.lock, holders, maxConcurrent: 1 };
    }
    const row = known ?? rowOf(request, this.startedAt);
    this.byId.set(request.sessionId, row);
    return { kind: 'begun' as const, row, expiresAt: row.startedAt.getTime() + INACTIVITY_MS };
  }

  async finalize({ sessionId, request, updateId }: FinalizeCall): Promise<FinalizeResult> {
    this.finalized.push({ sessionId, request, updateId });
    await this.beforeAnswer(sessionId, request);
    await this.#reach();
    const { outcome } = this;
    this.outcome = undefined;
    if (outcome) return outcome;
    const row = this.byId.get(sessionId);
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') return row.outcome ?? { kind: 'ended', stage: row.stage };
    const content = request.content ?? { sha256: 'd'.repeat(64), bytes: 5, lines: 1 };
    this.end(sessionId, 'committed', { outcome: { kind: 'committed', content } });
    return { kind: 'committed', content };
  }

  async readStatus(sessionId: string): Promise<SessionView | undefined> {
    await this.#reach();
    const row = this.byId.get(sessionId);
    return row && { row };
  }

  async touch(sessionId: string): Promise<boolean> {
    this.touched.push(sessionId);
    await this.#reach();
    return this.byId.get(sessionId)?.state === 'open';
  }

  async cancel(sessionId: string): Promise<CancelOutcome> {
    await this.#reach();
    const row = this.byId.get(sessionId);
    if (!row) return { kind: 'not_found' };
    if (row.state === 'ended') return { kind: 'ended', stage: row.stage };
    this.end(sessionId, 'cancelled');
    return { kind: 'cancelled' };
  }

  async hold(sessionId: string): Promise<boolean> {
    await this.#reach();
    return this.byId.get(sessionId)?.state === 'open';
  }

  async undo(): Promise<UndoOutcome> {
    await this.#reach();
    return this.undoOutcome;
  }

  get open(): WriteSessionRow[] {
    return [...this.byId.values()].filter(({ state }) => state !== 'ended');
  }

  /** Adds an open session without a request. */
  add(fields: Partial<WriteSessionRow> = {}): WriteSessionRow {
    const request = {
      sessionId: randomUUID(),
      projectId: 'default',
      targetFile: 'docs/big.md',
      operation: 'create' as const,
      intent: 'a long text',
    };
    const row = { ...rowOf(request, this.startedAt), ...fields };
    this.byId.set(row.sessionId, row);
    return row;
  }

  end(sessionId: string, stage: SessionStage, fields: Partial<WriteSessionRow> = {}): void {
    const row = this.byId.get(sessionId);
    if (!row) throw new Error(`no session ${sessionId}`);
    this.byId.set(sessionId, { ...row, ...fields, state: 'ended', stage, endedAt: new Date() });
  }

  parts(contents: WriteSessionParts['contents'], maxContentBytes = 10_485_760): WriteSessionParts {
    const repository = {
      find: (id: string) => Promise.resolve(this.byId.get(id)),
      list: (projectId: string) =>
        Promise.resolve([...this.byId.values()].filter((row) => row.projectId === projectId).toReversed()),
    };
    const readTargetBytes = () => this.targetBytes();
    const readTargetText = () => this.targetText();
    return { writeSessions: this, repository, contents, readTargetBytes, readTargetText, maxContentBytes };
  }

  #reach(): Promise<void> {
    return this.failure ? Promise.reject(this.failure) : Promise.resolve();
  }
}

const rowOf = (request: BeginRequest, startedAt: Date): WriteSessionRow => ({
  sessionId: request.sessionId,
  projectId: request.projectId,
  turnId: null,
  owner: 'local',
  slot: 1,
  attempt: 0,
  targetFile: request.targetFile,
  targetKey: request.targetFile,
  operation: request.operation,
  input: { ...request, revision: 1, inactivityTimeoutMs: INACTIVITY_MS, searchAttributes: false },
  runId: 'run',
  state: 'open',
  stage: 'awaiting_content',
  plan: null,
  outcome: null,
  undoneAt: null,
  startedAt,
  endedAt: null,
});
