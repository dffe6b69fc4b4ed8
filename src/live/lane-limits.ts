import { KIB, MIB } from '../contracts/values/units.ts';

/** Limits of one publisher and of the connection that it shares; times in milliseconds. */
export interface LaneLimits {
  /**
   * The most bytes of one publisher that may wait for acknowledgement. Beyond that its oldest lines are dropped, but
   * not its last.
   */
  readonly maxBytes: number;
  /** The most lines of one publisher that may wait for acknowledgement. Beyond that, too, the oldest are dropped. */
  readonly maxLines: number;
  /** The most bytes that may wait for acknowledgement in all publishers to one gateway together. */
  readonly maxLinkBytes: number;
  /** Milliseconds without acknowledgement after which the lane no longer counts as healthy. */
  readonly lateMs: number;
  /** Milliseconds after which the connection is cut, and made again, if an expected reply has not come. */
  readonly stalledMs: number;
  /** Milliseconds between pings of a silent writer, by which both sides notice a dead peer. */
  readonly pingMs: number;
  /** The most milliseconds that `close` waits for the acknowledgement of everything. */
  readonly closeMs: number;
  /**
   * Milliseconds before the first try to connect again after a try that failed, or after a connection that was lost
   * soon. Each further pause is twice as long.
   */
  readonly minBackoffMs: number;
  /** The longest pause between two tries, in milliseconds. */
  readonly maxBackoffMs: number;
}

/** The limits of a publisher in production. */
export const DEFAULT_LANE_LIMITS: LaneLimits = {
  maxBytes: MIB,
  maxLines: 10_000,
  maxLinkBytes: 16 * MIB,
  lateMs: 1_000,
  stalledMs: 5_000,
  pingMs: 5_000,
  closeMs: 500,
  minBackoffMs: 50,
  maxBackoffMs: 1_000,
};

/** Milliseconds without a line, even a ping, after which a writer counts as dead or cut off. */
export const MAX_LANE_SILENCE_MS = 3 * DEFAULT_LANE_LIMITS.pingMs;

/** About how many characters of output may wait for a slow connection or server. Output beyond that is not sent. */
export const MAX_WAITING_OUTPUT = 256 * KIB;
