import type { WorkerSnapshot } from '../db/claims/worker-life.ts';

/** A server that has just started, and one that cut all sessions, gives everybody this long to come back. */
export const SETTLE_MS = 3_000;

/**
 * Decides when the process that leads looks for work of lost workers: at its first look, for a predecessor of its own;
 * once it leads, since somebody may have ended unseen; and whenever one is missing. The latter two at two looks in a
 * row, since one whose session was cut is back at the next.
 */
export class RecoverySchedule {
  #known: ReadonlySet<string> | undefined;
  #missed: readonly string[] = [];
  /** Somebody may have ended unseen. */
  #isUnsure = true;
  #hasJudged = false;

  /** Takes a look; `settledMs`: how long this process has its session, if it had another before. True: recover now. */
  see({ isLeader, living, serverUpMs }: WorkerSnapshot, settledMs = Number.POSITIVE_INFINITY): boolean {
    const isJudged = isLeader && Math.min(serverUpMs, settledMs) >= SETTLE_MS;
    const isMissing = this.#missed.some((life) => !living.has(life));
    const isSure = this.#known === undefined || this.#hasJudged;
    const isDue = isJudged && (isMissing || (this.#isUnsure && isSure));
    // Whoever is missing now is among those that are looked for now.
    this.#missed = isDue ? [] : [...(this.#known ?? [])].filter((life) => !living.has(life));
    this.#known = living;
    this.#isUnsure = !isJudged || (this.#isUnsure && !isDue);
    this.#hasJudged = isJudged;
    return isDue;
  }
}
