import { readFileSync } from 'node:fs';

/** Of the files that a process may have open; the rest is for the database, logs and texts of write sessions. */
const SHARE = 3 / 4;

/** How many connections fit into this process: no more than `wanted`, nor than the operating system gives it. */
export const connectionsThatFit = (wanted: number): number => {
  const limit = openFileLimit();
  return limit === undefined ? wanted : Math.min(wanted, Math.floor(limit * SHARE));
};

/** Soft limit of this process, which Node has raised to the hard one; undefined where there is no `/proc`. */
const openFileLimit = (): number | undefined => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
};
