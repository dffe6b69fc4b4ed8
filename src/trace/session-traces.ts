import type { CommitPlan } from '../contracts/payload/session-activity-payloads.ts';
import type { WriteSessionRepository } from '../db/write-sessions/write-session-repository.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import type { RawTrace } from './prepare-trace.ts';
import type { TraceRecorder } from './trace-recorder.ts';
import type { CommitFailure } from '../contracts/write-session/session-messages.ts';

/**
 * Wraps the repository of write sessions so that it also traces begin, finalize, commit, expiry, cancel and undo when
 * it stores them (docs/storage.md "Traces"). Whatever ends a session uses this repository, also the sweeper after a
 * click in the Web UI. A transition always has the same key, so that a repeated trace is stored once.
 */
export const withSessionTraces = (
  repository: WriteSessionRepository,
  traces: TraceRecorder,
): WriteSessionRepository => {
  const { storePlan, failAttempt, endCommitted, markUndone } = tracedChanges(repository, traces);
  return {
    ...repository,
    storePlan,
    failAttempt,
    endCommitted,
    markUndone,
    async insert(input, lock) {
      const outcome = await repository.insert(input, lock);
      // A retry after an attempt that died between insert and trace finds the row, and traces the begin.
      if (outcome.kind !== 'busy') await traces.record(beginTrace(outcome.row));
      return outcome;
    },
    async markClosing(sessionId) {
      const row = await repository.markClosing(sessionId);
      // The row had ended before, perhaps by an attempt that died before it could trace the end.
      if (row.state === 'ended') await traces.record(endTrace(row));
      return row;
    },
    async end(sessionId, stage, outcome) {
      const result = await repository.end(sessionId, stage, outcome);
      await traces.record(endTrace(result.row));
      return result;
    },
  };
};

/** Adds a trace to each change that returns the changed row. A change that returns no row has changed nothing. */
const tracedChanges = (repository: WriteSessionRepository, traces: TraceRecorder) => {
  const withTrace =
    <Arguments extends readonly unknown[]>(
      change: (...args: Arguments) => Promise<WriteSessionRow | undefined>,
      traceOf: (row: WriteSessionRow, ...args: Arguments) => RawTrace,
    ) =>
    async (...args: Arguments): Promise<WriteSessionRow | undefined> => {
      const row = await change(...args);
      if (row) await traces.record(traceOf(row, ...args));
      return row;
    };
  return {
    storePlan: withTrace(repository.storePlan, (row, _id, _attempt, plan) => finalizeTrace(row, plan)),
    failAttempt: withTrace(repository.failAttempt, (row, _id, _attempt, failure) =>
      failedCommitTrace(row, failure),
    ),
    endCommitted: withTrace(repository.endCommitted, (row) => endTrace(row)),
    markUndone: withTrace(repository.markUndone, undoTrace),
  };
};

interface TransitionDetails {
  /** Name of the transition in the trace's key. Absent when the transition happens once in a session. */
  readonly name?: string;
  readonly at?: Date;
  readonly error?: string;
}

const beginTrace = (row: WriteSessionRow): RawTrace =>
  transitionTrace(row, 'begin', { at: row.startedAt, intent: row.input.intent, stage: 'awaiting_content' });

const finalizeTrace = (row: WriteSessionRow, { before, content }: CommitPlan): RawTrace =>
  transitionTrace(row, 'finalize', {
    name: `finalize:${content.sha256}`,
    stage: 'committing',
    before,
    ...content,
  });

const failedCommitTrace = (row: WriteSessionRow, { code, reason }: CommitFailure): RawTrace =>
  transitionTrace(row, 'commit', {
    name: `commit:${row.attempt}`,
    stage: 'awaiting_content',
    code,
    error: reason,
  });

const endTrace = (row: WriteSessionRow): RawTrace => {
  const { stage, outcome } = row;
  const at = row.endedAt ?? new Date();
  switch (stage) {
    case 'committed':
      return transitionTrace(row, 'commit', {
        at,
        stage,
        ...(outcome?.kind === 'committed' && outcome.content),
      });
    case 'expired':
      return transitionTrace(row, 'expiry', { at, stage });
    case 'cancelled':
    case 'awaiting_content':
    case 'committing':
      return transitionTrace(row, 'cancel', { at, stage });
    default:
      return stage satisfies never;
  }
};

const undoTrace = (row: WriteSessionRow): RawTrace =>
  transitionTrace(row, 'undo', { at: row.undoneAt ?? new Date(), stage: row.stage });

const transitionTrace = (
  { sessionId, projectId, turnId, targetFile, operation }: WriteSessionRow,
  event: 'begin' | 'finalize' | 'commit' | 'expiry' | 'cancel' | 'undo',
  { name = event, at, error, ...details }: Record<string, unknown> & TransitionDetails,
): RawTrace => ({
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
