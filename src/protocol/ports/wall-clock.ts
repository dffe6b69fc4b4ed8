/** Milliseconds since the epoch; in the workflow Temporal's deterministic time. */
export interface WallClock {
  now(): number;
}
