import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../src/db/database-unavailable.ts';
import type { TurnRow } from '../src/db/turn-row.ts';
import { reconcileTurn } from '../src/turns/reconcile.ts';
import type { ReconcileDeps } from '../src/turns/reconcile.ts';
import { isTemporalUnavailable } from '../src/turns/temporal-unavailable.ts';

const SWEEP_INTERVAL_MS = 10_000;
/** A turn that began just now is its gateway's business. */
const LEAST_AGE_MS = 2_000;
const ROWS_PER_SWEEP = 100;

export interface SweeperDeps extends ReconcileDeps {
  readonly log: Logger;
}

/**
 * Reconciles every running row with its workflow every 10 s (turns.md "Starting a turn"), so that a crash between
 * insert and start, or a termination, blocks no conversation. Several workers share the rows. Returns `stop`.
 */
export const startSweeper = (deps: SweeperDeps): (() => void) => {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void sweep(deps).finally(() => {
      busy = false;
    });
  }, SWEEP_INTERVAL_MS);
  return () => clearInterval(timer);
};

/** One round; never rejects. */
export const sweep = async (deps: SweeperDeps): Promise<void> => {
  try {
    const rows = await deps.turns.claimRunning({ olderThanMs: LEAST_AGE_MS, limit: ROWS_PER_SWEEP });
    for (const row of rows) await sweepRow(deps, row);
  } catch (error) {
    deps.log.warn({ err: error }, 'sweep failed, trying again');
  }
};

/** A row that fails by itself must not keep back those after it; without a server all of them have to wait. */
const sweepRow = async (deps: SweeperDeps, row: TurnRow): Promise<void> => {
  const { turnId } = row;
  try {
    const result = await reconcileTurn(deps, row);
    if (result === 'ended') deps.log.warn({ turnId }, 'turn ended outside, closed its row');
  } catch (error) {
    if (isTemporalUnavailable(error) || isDatabaseUnavailable(error)) throw error;
    deps.log.error({ err: error, turnId }, 'the turn cannot be reconciled, trying again');
  }
};
