/** A clock that tells milliseconds since 1970. In the workflow it is Temporal's deterministic time. */
export interface WallClock {
  now(): number;
}
