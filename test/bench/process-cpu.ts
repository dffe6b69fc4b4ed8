import { readdirSync, readFileSync } from 'node:fs';

/** The value of sysconf(_SC_CLK_TCK), which Linux fixes at 100 for proc(5). */
const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  readonly seconds: number;
}

/** Returns the parent and the CPU seconds (user and system) of a process; undefined when it has ended. */
const readStat = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain anything, so fields are counted from behind it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
};

/**
 * Returns the CPU seconds of each process and all its descendants, because Postgres has a process for every connection.
 */
export const cpuSeconds = (pids: Iterable<number>): Map<number, number> => {
  const roots = new Set(pids);
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const stats = new Map(
    all.flatMap((pid) => {
      const stat = readStat(pid);
      return stat ? [[pid, stat] as const] : [];
    }),
  );
  const sums = new Map([...roots].map((pid) => [pid, 0]));
  for (const [pid, { seconds }] of stats) {
    let at: number | undefined = pid;
    while (at !== undefined && !roots.has(at)) at = stats.get(at)?.parent;
    if (at !== undefined) sums.set(at, (sums.get(at) ?? 0) + seconds);
  }
  return sums;
};
