/** Limits of one publisher and of the connection that it shares; times in milliseconds. */
export interface LaneLimits {
  /** The bound on bytes that wait for acknowledgement; over either limit the oldest go. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Bytes that wait for acknowledgement in all publishers that write to one gateway. */
  readonly maxLinkBytes: number;
  /** Unacknowledged for so long, the lane no longer counts as healthy. */
  readonly lateMs: number;
  /**
   * Milliseconds without a word from the gateway although one is due, after which the connection is made anew.
   */
  readonly stalledMs: number;
  /** A silent writer pings so often, so that both sides notice a dead peer. */
  readonly pingMs: number;
  /** The longest that `close` waits. */
  readonly closeMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The limits of a publisher in production. */
export const DEFAULT_LANE_LIMITS: LaneLimits = {
  maxBytes: 1024 * 1024,
  maxLines: 10_000,
  maxLinkBytes: 16 * 1024 * 1024,
  lateMs: 1_000,
  stalledMs: 5_000,
  pingMs: 5_000,
  closeMs: 500,
  minBackoffMs: 50,
  maxBackoffMs: 1_000,
};

/** Milliseconds of silence, pings included, after which a writer is dead or cut off. */
export const MAX_LANE_SILENCE_MS = 3 * DEFAULT_LANE_LIMITS.pingMs;
