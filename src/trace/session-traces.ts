import type { CommitOutcome, WritePlan } from '../contracts/write-session.ts';
import type { WriteSessionRepository } from '../db/write-session-repository.ts';
import type { WriteSessionRow } from '../db/write-session-row.ts';
import type { TraceInput } from './prepare-trace.ts';
import type { TraceRecorder } from './trace-service.ts';

/**
 * The rows of write sessions, telling of each transition that they store (docs/storage.md "Traces"): every closer goes
 * through them, also the sweeper and a person's click in the Web UI. Each transition has one name, so what a repeated
 * attempt or a second closer tells again is stored once.
 */
export const withSessionTraces = (
  repository: WriteSessionRepository,
  traces: TraceRecorder,
): WriteSessionRepository => {
  const tell: Tell = async (sessionId, of) => {
    const at = new Date();
    const row = await repository.find(sessionId).catch(() => undefined);
    if (row) await traces.record({ ...of(row), at });
  };
  return { ...repository, ...tracedLock(repository, traces, tell), ...tracedWrites(repository, tell) };
};

/** Records what is to say of a session, when its row is found. */
type Tell = (sessionId: string, of: (row: WriteSessionRow) => TraceInput) => Promise<void>;

const tracedLock = (
  repository: WriteSessionRepository,
  traces: TraceRecorder,
  tell: Tell,
): Pick<WriteSessionRepository, 'insert' | 'markClosing' | 'end'> => ({
  async insert(input, lock) {
    const outcome = await repository.insert(input, lock);
    // An attempt that died after its insert finds the row: the begin is told all the same.
    if (outcome.kind !== 'busy') await traces.record(begun(outcome.row));
    return outcome;
  },
  async markClosing(sessionId) {
    const row = await repository.markClosing(sessionId);
    // Ended already, maybe by one that died before it could tell.
    if (!row) await tell(sessionId, ended);
    return row;
  },
  async end(sessionId, stage, outcome) {
    const result = await repository.end(sessionId, stage, outcome);
    await traces.record(ended(result.row));
    return result;
  },
});

const tracedWrites = (
  repository: WriteSessionRepository,
  tell: Tell,
): Pick<WriteSessionRepository, 'storePlan' | 'setOutcome' | 'markUndone'> => ({
  async storePlan(sessionId, fence, plan) {
    const isStored = await repository.storePlan(sessionId, fence, plan);
    if (isStored) await tell(sessionId, (row) => finalizing(row, plan));
    return isStored;
  },
  async setOutcome(sessionId, fence, outcome) {
    const isStored = await repository.setOutcome(sessionId, fence, outcome);
    if (isStored) await tell(sessionId, (row) => commitEnded(row, fence, outcome));
    return isStored;
  },
  async markUndone(sessionId) {
    const isUndone = await repository.markUndone(sessionId);
    if (isUndone) await tell(sessionId, undone);
    return isUndone;
  },
});

const transition = (
  { sessionId, projectId, turnId, targetFile, operation }: WriteSessionRow,
  event: 'begin' | 'finalize' | 'commit' | 'expiry' | 'cancel' | 'undo',
  { name = event, at, error, ...details }: Record<string, unknown> & Told,
): TraceInput => ({
  projectId,
  requestId: turnId ?? sessionId,
  key: `write_session:${sessionId}:${name}`,
  type: 'write_session',
  source: 'system',
  summary: `${event} ${targetFile}`,
  details: { event, sessionId, targetFile, operation, ...details },
  error,
  at,
});

interface Told {
  /** Of the transition; absent: it happens once in a session. */
  readonly name?: string;
  readonly at?: Date;
  readonly error?: string;
}

const begun = (row: WriteSessionRow): TraceInput =>
  transition(row, 'begin', { at: row.startedAt, intent: row.input.intent, stage: 'awaiting_content' });

const finalizing = (row: WriteSessionRow, { before, content }: WritePlan): TraceInput =>
  transition(row, 'finalize', {
    name: `finalize:${content.sha256}`,
    stage: 'committing',
    before,
    ...content,
  });

const commitEnded = (row: WriteSessionRow, fence: number, outcome: CommitOutcome): TraceInput => {
  if (outcome.kind === 'committed') return committed(row, outcome);
  const { code, reason } = outcome;
  return transition(row, 'commit', {
    name: `commit:${fence}`,
    stage: 'awaiting_content',
    code,
    error: reason,
  });
};

const committed = (row: WriteSessionRow, outcome: CommitOutcome | null): TraceInput =>
  transition(row, 'commit', {
    stage: 'committed',
    ...(outcome?.kind === 'committed' ? outcome.content : {}),
  });

const ended = (row: WriteSessionRow): TraceInput => {
  if (row.stage === 'committed') return committed(row, row.outcome);
  const at = row.endedAt ?? new Date();
  return row.stage === 'expired'
    ? transition(row, 'expiry', { at, stage: row.stage })
    : transition(row, 'cancel', { at, stage: row.stage });
};

const undone = (row: WriteSessionRow): TraceInput => transition(row, 'undo', { stage: row.stage });
