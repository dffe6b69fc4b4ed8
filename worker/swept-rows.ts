import type { Logger } from 'pino';
import type { WriteSessionRow } from '../src/db/write-sessions/write-session-row.ts';
import type { TurnRow } from '../src/db/turns/turn-row.ts';
import type { Notification } from '../src/contracts/inputs/notification.ts';
import type { CompactInput } from '../src/contracts/payload/compact-payloads.ts';
import { type NotificationDeps, startNotification } from '../src/notifications/start-notifications.ts';
import { cancelSession } from '../src/write-session-service/cancel-session.ts';
import { reconcileSession } from '../src/write-session-service/reconcile-session.ts';
import type { SessionDeps } from '../src/write-session-service/session-deps.ts';
import {
  type AbandonedSummaryDeps,
  settleAbandonedSummary,
} from '../src/turn-service/abandoned-summaries.ts';
import { reconcilePolledTurn, type ReconcileDeps } from '../src/turn-service/reconcile.ts';
import { sweepRows, type SweptRows } from './sweeper.ts';

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
  reconcile: (row) => reconcilePolledTurn(deps, row),
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
