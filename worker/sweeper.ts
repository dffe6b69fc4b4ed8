import type { Logger } from 'pino';
import { SWEEP_INTERVAL_MS } from '../src/db/claims/sweep-claim.ts';
import { unavailableServerOf } from '../src/turn-service/unavailable.ts';

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
 * Runs each of `sweeps` every `SWEEP_INTERVAL_MS`, independently of the others (docs/turns.md "Starting a turn"). So no
 * conversation or write session stays blocked after a crash between insert and start, or after a termination. A sweep
 * that takes longer skips rounds. Several workers share the rows. Returns a function that stops the sweeps.
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
