import type { WorkerSnapshot } from '../db/claims/worker-presence.ts';

/**
 * Time in milliseconds in which workers can open their sessions again, after a Postgres server has started or after
 * this process has lost its session. No worker is judged meanwhile.
 */
export const RECONNECT_GRACE_MS = 3_000;

/**
 * Decides when the process that leads looks for work of lost workers:
 *
 * - at its first snapshot, for its own predecessor
 * - when it has begun to lead, since a worker may have ended unseen
 * - whenever a worker is missing
 *
 * The last two need two snapshots in a row, since a worker whose session was cut has another one at the next snapshot.
 */
export class RecoverySchedule {
  #known: ReadonlySet<string> | undefined;
  #missed: readonly string[] = [];
  /** True when a worker may have ended unseen. */
  #isUnsure = true;
  #hasJudged = false;

  /**
   * Takes a new snapshot, and returns whether it is time to recover. `settledMs` is the age of this process's session
   * in milliseconds, infinite for the first session.
   */
  update(
    { isLeader, livingKeys, serverUpMs }: WorkerSnapshot,
    settledMs = Number.POSITIVE_INFINITY,
  ): boolean {
    const isJudged = isLeader && Math.min(serverUpMs, settledMs) >= RECONNECT_GRACE_MS;
    const isMissing = this.#missed.some((key) => !livingKeys.has(key));
    const isSure = this.#known === undefined || this.#hasJudged;
    const isDue = isJudged && (isMissing || (this.#isUnsure && isSure));
    // A recovery that begins now also looks for the workers that are missing now.
    this.#missed = isDue ? [] : [...(this.#known ?? [])].filter((key) => !livingKeys.has(key));
    this.#known = livingKeys;
    this.#isUnsure = !isJudged || (this.#isUnsure && !isDue);
    this.#hasJudged = isJudged;
    return isDue;
  }
}
