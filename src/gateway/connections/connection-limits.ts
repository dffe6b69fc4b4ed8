import { readFileSync } from 'node:fs';

/** The limits of connections, before and after their client is known. */
export interface ConnectionLimits {
  /**
   * Largest number of connections. For one more, the oldest that gives way is closed (`mayBeClosed` in
   * src/gateway/connections/connections.ts), or the new one if none does.
   */
  readonly max: number;
  /**
   * Number of connections of one address that may linger without a known client, because none of their requests has
   * brought a valid key.
   */
  readonly maxUnknown: number;
  /**
   * Milliseconds from the first byte to the end of the headers. For a connection that sends nothing, they count from
   * its start.
   */
  readonly headersMs: number;
  /** Milliseconds from the headers to the last byte of the body, unless the body is an upload or a lane. */
  readonly bodyMs: number;
  /** Milliseconds of silence after which an upload is cut. */
  readonly uploadIdleMs: number;
  /** Milliseconds after which a connection is cut if its client has read nothing of the response that waits. */
  readonly stallMs: number;
  /** Milliseconds between two checks of all connections. */
  readonly sweepMs: number;
}

/** The limits of a gateway in production. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  max: 4_000,
  maxUnknown: 100,
  headersMs: 60_000,
  bodyMs: 60_000,
  uploadIdleMs: 30_000,
  stallMs: 30_000,
  sweepMs: 1_000,
};

/**
 * The share that connections may take of the files that this process may open. The rest is for the database, logs and
 * texts of write sessions.
 */
const CONNECTION_SHARE = 3 / 4;

/**
 * Returns the number of connections that this process may have: `count`, or three quarters of the files that it may
 * open if that is less.
 */
export const connectionsThatFit = (count: number): number => {
  const limit = openFileLimit();
  return limit === undefined ? count : Math.min(count, Math.floor(limit * CONNECTION_SHARE));
};

/**
 * Returns how many files this process may open. Node has raised this soft limit to the hard one. Returns undefined
 * where `/proc` does not tell it, or if there is no limit.
 */
const openFileLimit = (): number | undefined => {
  try {
    const [, softLimit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return softLimit === undefined ? undefined : Number(softLimit);
  } catch {
    return undefined;
  }
};
