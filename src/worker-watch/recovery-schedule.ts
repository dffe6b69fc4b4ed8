import type { WorkerSnapshot } from '../db/claims/worker-life.ts';

/** Milliseconds that everybody gets to come back after a server has just started, or cut all sessions. */
export const SETTLE_MS = 3_000;

/**
 * Decides when the process that leads looks for work of lost workers: at its first look, for its own predecessor; once
 * it leads, since a worker may have ended unseen; and whenever one is missing. The latter two need two looks in a row,
 * since a worker whose session was cut is back at the next.
 */
export class RecoverySchedule {
  #known: ReadonlySet<string> | undefined;
  #missed: readonly string[] = [];
  /** True when a worker may have ended unseen. */
  #isUnsure = true;
  #hasJudged = false;

  /**
   * Takes a look; `settledMs`: for how long this process has had its session, if it had another before. Returns true
   * when it is time to recover.
   */
  see({ isLeader, living, serverUpMs }: WorkerSnapshot, settledMs = Number.POSITIVE_INFINITY): boolean {
    const isJudged = isLeader && Math.min(serverUpMs, settledMs) >= SETTLE_MS;
    const isMissing = this.#missed.some((life) => !living.has(life));
    const isSure = this.#known === undefined || this.#hasJudged;
    const isDue = isJudged && (isMissing || (this.#isUnsure && isSure));
    // Workers that are missing now are among those that are looked for now.
    this.#missed = isDue ? [] : [...(this.#known ?? [])].filter((life) => !living.has(life));
    this.#known = living;
    this.#isUnsure = !isJudged || (this.#isUnsure && !isDue);
    this.#hasJudged = isJudged;
    return isDue;
  }
}
