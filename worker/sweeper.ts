import type { Logger } from 'pino';
import type { WriteSessionRow } from '../src/db/write-sessions/write-session-row.ts';
import type { TurnRow } from '../src/db/turns/turn-row.ts';
import type { Notification } from '../src/contracts/inputs/notification.ts';
import type { CompactInput } from '../src/contracts/payload/compact-payloads.ts';
import { type NotificationDeps, startNotification } from '../src/notifications/start-notifications.ts';
import { cancelSession } from '../src/write-session-service/write-sessions.ts';
import { reconcileSession } from '../src/write-session-service/reconcile-session.ts';
import type { SessionDeps } from '../src/write-session-service/session-deps.ts';
import {
  type AbandonedSummaryDeps,
  settleAbandonedSummary,
} from '../src/turn-service/abandoned-summaries.ts';
import { reconcileUnattended, type ReconcileDeps } from '../src/turn-service/reconcile.ts';
import { unavailableServerOf } from '../src/turn-service/unavailable.ts';

const SWEEP_INTERVAL_MS = 10_000;
/**
 * Milliseconds that a row must exist before it is swept. A younger row is left to the process that inserted it, which
 * is about to start its workflow.
 */
const MIN_AGE_MS = 2_000;
const ROWS_PER_SWEEP = 100;

/** How the open rows of one table are reconciled with their workflows. */
export interface SweptRows<Row> {
  /** The kind of row, in log lines. */
  readonly label: string;
  /** Claims rows that are open, older than `olderThanMs` and not claimed recently, at most `limit` of them. */
  claim(options: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly Row[]>;
  /**
   * Brings a row and its workflow into agreement.
   *
   * - `open` and `running`: the workflow runs, is still being started, or has ended so recently that its worker may
   *   still be at work.
   * - `closed_here`: this call has closed the row, because its workflow had ended or nobody can finish its work any
   *   longer.
   * - `already_closed`: the row was properly closed meanwhile.
   */
  reconcile(row: Row): Promise<'open' | 'running' | 'closed_here' | 'already_closed'>;
  /** Returns the id of a row, under its name in log lines. */
  logFields(row: Row): Readonly<Record<string, string>>;
}

/**
 * Runs each of `sweeps` every 10 s, independently of the others (docs/turns.md "Starting a turn"). So no conversation
 * or write session stays blocked after a crash between insert and start, or after a termination. A sweep that takes
 * longer than 10 s skips rounds. Several workers share the rows. Returns a function that stops the sweeps.
 */
export const startSweeper = (sweeps: readonly (() => Promise<void>)[]): (() => void) => {
  const stops = sweeps.map(everyInterval);
  return () => stops.forEach((stop) => stop());
};

const everyInterval = (round: () => Promise<void>): (() => void) => {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void round().finally(() => {
      isBusy = false;
    });
  }, SWEEP_INTERVAL_MS);
  return () => clearInterval(timer);
};

/**
 * Claims rows that no sweeper has looked at recently, and reconciles one after another. While Temporal or Postgres is
 * away, the rest waits for a later round. Never rejects.
 */
export const sweepRows = async <Row>(rows: SweptRows<Row>, log: Logger): Promise<void> => {
  try {
    const claimed = await rows.claim({ olderThanMs: MIN_AGE_MS, limit: ROWS_PER_SWEEP });
    for (const row of claimed) await sweepRow(rows, row, log);
  } catch (error) {
    log.warn({ err: error }, 'sweep failed, trying again');
  }
};

/**
 * Reconciles one row. A failure of only this row is logged, so that it does not hold up the rows after it. Rejects if
 * Temporal or Postgres is unavailable, since then all rows have to wait.
 */
const sweepRow = async <Row>(rows: SweptRows<Row>, row: Row, log: Logger): Promise<void> => {
  const ids = rows.logFields(row);
  try {
    const result = await rows.reconcile(row);
    if (result === 'closed_here') log.warn(ids, `${rows.label} ended outside, closed its row`);
  } catch (error) {
    if (unavailableServerOf(error) !== undefined) throw error;
    log.error({ err: error, ...ids }, `the ${rows.label} cannot be reconciled, trying again`);
  }
};

/** Returns one sweep for each table, so that a slow one holds up no other. */
export const sweepsOf = (
  deps: ReconcileDeps & SessionDeps & NotificationDeps & AbandonedSummaryDeps,
  log: Logger,
): (() => Promise<void>)[] => [
  () => sweepRows(sweptTurns(deps), log),
  () => sweepRows(sweptSessions(deps), log),
  () => sweepRows(sweptNotifications(deps), log),
  () => sweepRows(sweptSummaries(deps), log),
];

/**
 * Returns how turns are swept: open rows are claimed. The workflow of a turn that has none is started, and a row whose
 * workflow is closed is closed.
 */
export const sweptTurns = (deps: ReconcileDeps): SweptRows<TurnRow> => ({
  label: 'turn',
  claim: (options) => deps.turns.claimRunning(options),
  reconcile: (row) => reconcileUnattended(deps, row),
  logFields: ({ turnId }) => ({ turnId }),
});

/**
 * Returns how write sessions are swept: open rows are claimed, and each is reconciled with its workflow, or ended if
 * nobody can commit it any longer.
 */
export const sweptSessions = (
  deps: SessionDeps & Pick<ReconcileDeps, 'turns'>,
): SweptRows<WriteSessionRow> => ({
  label: 'write session',
  claim: (options) => deps.repository.claimOpen(options),
  reconcile: async (row) =>
    (await isOrphaned(deps, row)) ? endOrphaned(deps, row) : reconcileSession(deps, row),
  logFields: ({ sessionId }) => ({ sessionId }),
});

/**
 * Reports whether only the session's turn could have committed it, and that turn no longer runs and has left the
 * session open, for example because it was terminated.
 */
const isOrphaned = async (
  { turns }: Pick<ReconcileDeps, 'turns'>,
  { turnId, input }: WriteSessionRow,
): Promise<boolean> =>
  input.needsApproval === true && turnId !== null && (await turns.find(turnId))?.status !== 'running';

const endOrphaned = async (deps: SessionDeps, { sessionId }: WriteSessionRow): Promise<'closed_here'> => {
  await cancelSession(deps, sessionId);
  return 'closed_here';
};

/**
 * Returns how messages to the webhook are swept: due messages are claimed. The workflow of a message that has none is
 * started, and a message whose workflow has ended without sending it is given up.
 */
export const sweptNotifications = (deps: NotificationDeps): SweptRows<Notification> => ({
  label: 'notification',
  claim: (options) => deps.outbox.claimDue(options),
  reconcile: ({ webhookId }) => startNotification(deps, webhookId),
  logFields: ({ webhookId }) => ({ webhookId }),
});

/**
 * Returns how summaries are swept: those with reserved costs are claimed, and the costs are settled if nobody works on
 * the summary any longer.
 */
export const sweptSummaries = (deps: AbandonedSummaryDeps): SweptRows<CompactInput> => ({
  label: 'summary',
  claim: (options) => deps.summaries.claimReserved(options),
  reconcile: (row) => settleAbandonedSummary(deps, row),
  logFields: ({ turnId, leafTurnId }) => ({ turnId, leafTurnId }),
});
