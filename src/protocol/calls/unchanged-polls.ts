import type { PollComparison } from '../ports/tool-executor.ts';

/**
 * How often a poll may return the same result again before the next poll is a duplicate (docs/protocol.md
 * "Duplicates").
 */
const MAX_UNCHANGED_POLLS = 8;

/**
 * Milliseconds to wait before a poll whose result was the same twice in a row. They double with each further same
 * result.
 */
const FIRST_POLL_DELAY_MS = 500;

const MAX_POLL_DELAY_MS = 5_000;

interface RepeatedResult {
  /** Fingerprint of the poll's latest result. Empty before the first. */
  readonly fingerprint: string;
  /** How many of the latest results in a row were equal to the result before them. */
  readonly repeats: number;
}

const NO_RESULT: RepeatedResult = { fingerprint: '', repeats: 0 };

/** The latest results of one poll: how long they have been the same, and whether it may therefore run again. */
export class UnchangedPolls {
  #latest: Readonly<Record<PollComparison, RepeatedResult>> = {
    ignoring_timings: NO_RESULT,
    including_timings: NO_RESULT,
  };

  /** Adds a result, given by its fingerprint in the form of each comparison. */
  add(fingerprints: Readonly<Record<PollComparison, string>>): void {
    this.#latest = {
      ignoring_timings: withResult(this.#latest.ignoring_timings, fingerprints.ignoring_timings),
      including_timings: withResult(this.#latest.including_timings, fingerprints.including_timings),
    };
  }

  /** Reports whether the results still change, or have not been the same too often. */
  mayRunAgain(comparison: PollComparison): boolean {
    const { ignoring_timings: ignoring, including_timings: including } = this.#latest;
    return (
      ignoring.repeats < MAX_UNCHANGED_POLLS ||
      (comparison === 'including_timings' && including.repeats < MAX_UNCHANGED_POLLS)
    );
  }

  /** Milliseconds to wait before the next poll: 0 while the results change, otherwise 500 doubling to 5,000. */
  get delayMs(): number {
    const { repeats } = this.#latest.ignoring_timings;
    return repeats === 0 ? 0 : Math.min(MAX_POLL_DELAY_MS, FIRST_POLL_DELAY_MS * 2 ** (repeats - 1));
  }
}

const withResult = (latest: RepeatedResult, fingerprint: string): RepeatedResult => ({
  fingerprint,
  repeats: latest.fingerprint === fingerprint ? latest.repeats + 1 : 0,
});
