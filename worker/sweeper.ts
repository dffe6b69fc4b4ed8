import type { Logger } from 'pino';
import { reconcileTurn } from '../src/turns/reconcile.ts';
import type { ReconcileDeps } from '../src/turns/reconcile.ts';

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

const sweep = async (deps: SweeperDeps): Promise<void> => {
  try {
    const rows = await deps.turns.claimRunning({ olderThanMs: LEAST_AGE_MS, limit: ROWS_PER_SWEEP });
    for (const row of rows) {
      const result = await reconcileTurn(deps, row);
      if (result === 'ended') deps.log.warn({ turnId: row.turnId }, 'turn ended outside, closed its row');
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'sweep failed, trying again');
  }
};
