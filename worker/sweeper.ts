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
/** A turn or session younger than this is still its gateway's business. */
const MIN_AGE_MS = 2_000;
const ROWS_PER_SWEEP = 100;

/** One table whose open rows are brought together with their workflows. */
export interface SweptRows<Row> {
  /** The kind of row, in log lines. */
  readonly label: string;
  claim(options: { readonly olderThanMs: number; readonly limit: number }): Promise<readonly Row[]>;
  /**
   * `closed_here`: the workflow was closed, and this call has closed the row. `already_closed`: the row was properly
   * closed meanwhile.
   */
  reconcile(row: Row): Promise<'open' | 'running' | 'closed_here' | 'already_closed'>;
  /** Returns the id of a row, under its name in log lines. */
  logFields(row: Row): Readonly<Record<string, string>>;
}

/**
 * Runs `sweeps` every 10 s (docs/turns.md "Starting a turn"), each by itself, so that a crash between insert and start,
 * or a termination, blocks no conversation and no write session. Several workers share the rows. Returns `stop`.
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

/** Claims rows that have not been looked at for long, and reconciles each, once. Never rejects. */
export const sweepRows = async <Row>(rows: SweptRows<Row>, log: Logger): Promise<void> => {
  try {
    const claimed = await rows.claim({ olderThanMs: MIN_AGE_MS, limit: ROWS_PER_SWEEP });
    for (const row of claimed) await sweepRow(rows, row, log);
  } catch (error) {
    log.warn({ err: error }, 'sweep failed, trying again');
  }
};

/** A row that fails by itself must not hold up those after it; without a server all of them have to wait. */
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

/** Returns one sweep per table: a slow one holds up no other. */
export const sweepsOf = (
  deps: ReconcileDeps & SessionDeps & NotificationDeps & AbandonedSummaryDeps,
  log: Logger,
): (() => Promise<void>)[] => [
  () => sweepRows(sweptTurns(deps), log),
  () => sweepRows(sweptSessions(deps), log),
  () => sweepRows(sweptNotifications(deps), log),
  () => sweepRows(sweptSummaries(deps), log),
];

/** Finds turns whose row is open, and ends those whose workflow is closed. */
export const sweptTurns = (deps: ReconcileDeps): SweptRows<TurnRow> => ({
  label: 'turn',
  claim: (options) => deps.turns.claimRunning(options),
  reconcile: (row) => reconcileUnattended(deps, row),
  logFields: ({ turnId }) => ({ turnId }),
});

/** Finds write sessions whose row is open, and ends those whose workflow is closed. */
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
 * True when only its turn could have committed a session, and that turn has ended (terminated, perhaps) without telling
 * it.
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

/** Finds messages to the webhook that nobody has sent, and gives up those whose workflow has failed. */
export const sweptNotifications = (deps: NotificationDeps): SweptRows<Notification> => ({
  label: 'notification',
  claim: (options) => deps.outbox.claimDue(options),
  reconcile: ({ webhookId }) => startNotification(deps, webhookId),
  logFields: ({ webhookId }) => ({ webhookId }),
});

/** Finds reservations for summaries, and settles those of summaries that nobody makes any longer. */
export const sweptSummaries = (deps: AbandonedSummaryDeps): SweptRows<CompactInput> => ({
  label: 'summary',
  claim: (options) => deps.summaries.claimReserved(options),
  reconcile: (row) => settleAbandonedSummary(deps, row),
  logFields: ({ turnId, leafTurnId }) => ({ turnId, leafTurnId }),
});
