import { readFileSync } from 'node:fs';

/** The limits of one connection before and after its client is known. Times in milliseconds. */
export interface ConnectionLimits {
  /** Connections in all. Above this, the oldest idle one is closed. If none is idle, the new one is cut. */
  readonly max: number;
  /** Connections of one address whose client is not known: no request of it has brought a valid key. */
  readonly maxUnknown: number;
  /** Time from the first byte, or from the start of a connection that sends none, to the end of the headers. */
  readonly headersMs: number;
  /** Time from the headers to the last byte of a body, unless the route takes uploads. */
  readonly bodyMs: number;
  /** Milliseconds of silence after which an upload is cut. */
  readonly uploadIdleMs: number;
  /** Milliseconds after which an answer is cut of which nothing has been read. */
  readonly stallMs: number;
  /** Milliseconds between two looks at all connections. */
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

/** Part of the files that a process may open; the rest is for database, logs and texts of write sessions. */
const SHARE = 3 / 4;

/**
 * Returns how many connections fit into this process: no more than `wanted`, nor than the operating system gives it.
 */
export const connectionsThatFit = (wanted: number): number => {
  const limit = openFileLimit();
  return limit === undefined ? wanted : Math.min(wanted, Math.floor(limit * SHARE));
};

/**
 * Returns the soft limit of this process, which Node has raised to the hard one. Returns undefined if there is no
 * `/proc`.
 */
const openFileLimit = (): number | undefined => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
};
