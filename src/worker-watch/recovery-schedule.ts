import type { WorkerSnapshot } from '../db/claims/worker-presence.ts';

/** Milliseconds that everybody gets to come back after a server has just started, or cut all sessions. */
export const SETTLE_MS = 3_000;

/**
 * Decides when the process that leads looks for work of lost workers:
 *
 * - at its first snapshot, for its own predecessor
 * - once it leads, since a worker may have ended unseen
 * - whenever a worker is missing
 *
 * The latter two need two snapshots in a row, since a worker whose session was cut is back at the next.
 */
export class RecoverySchedule {
  #known: ReadonlySet<string> | undefined;
  #missed: readonly string[] = [];
  /** True when a worker may have ended unseen. */
  #isUnsure = true;
  #hasJudged = false;

  /**
   * Takes a new snapshot, and returns true when it is time to recover. `settledMs` is how many milliseconds this
   * process has had its session, if it had another one before.
   */
  update(
    { isLeader, livingKeys, serverUpMs }: WorkerSnapshot,
    settledMs = Number.POSITIVE_INFINITY,
  ): boolean {
    const isJudged = isLeader && Math.min(serverUpMs, settledMs) >= SETTLE_MS;
    const isMissing = this.#missed.some((key) => !livingKeys.has(key));
    const isSure = this.#known === undefined || this.#hasJudged;
    const isDue = isJudged && (isMissing || (this.#isUnsure && isSure));
    // Workers that are missing now are among those that are looked for now.
    this.#missed = isDue ? [] : [...(this.#known ?? [])].filter((key) => !livingKeys.has(key));
    this.#known = livingKeys;
    this.#isUnsure = !isJudged || (this.#isUnsure && !isDue);
    this.#hasJudged = isJudged;
    return isDue;
  }
}
