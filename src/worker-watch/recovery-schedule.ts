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
  #previousKeys: ReadonlySet<string> | undefined;
  #missingKeys: readonly string[] = [];
  /** True when a worker may have ended unseen. */
  #isUnsure = true;
  #wasAbleToJudge = false;

  /**
   * Takes a new snapshot, and returns whether it is time to recover. `settledMs` is the age of this process's session
   * in milliseconds, infinite for the first session.
   */
  update(
    { isLeader, livingKeys, serverUpMs }: WorkerSnapshot,
    settledMs = Number.POSITIVE_INFINITY,
  ): boolean {
    const canJudge = isLeader && Math.min(serverUpMs, settledMs) >= RECONNECT_GRACE_MS;
    const isMissing = this.#missingKeys.some((key) => !livingKeys.has(key));
    const isConfirmed = this.#previousKeys === undefined || this.#wasAbleToJudge;
    const isDue = canJudge && (isMissing || (this.#isUnsure && isConfirmed));
    // A recovery that begins now also looks for the workers that are missing now.
    this.#missingKeys = isDue ? [] : [...(this.#previousKeys ?? [])].filter((key) => !livingKeys.has(key));
    this.#previousKeys = livingKeys;
    this.#isUnsure = !canJudge || (this.#isUnsure && !isDue);
    this.#wasAbleToJudge = canJudge;
    return isDue;
  }
}
