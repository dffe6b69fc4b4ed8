/** A clock that tells milliseconds since the epoch. In the workflow it is Temporal's deterministic time. */
export interface WallClock {
  now(): number;
}
