import { readFileSync } from 'node:fs';

/**
 * Returns the milliseconds for which the first thread of a process could have run and had no processor; 0 where the
 * system does not report it.
 */
export const waitedForProcessorMs = (pid: number | 'self' = 'self'): number => {
  try {
    // The file holds the time on the processor, then the time spent waiting for one, in nanoseconds (Linux,
    // Documentation/scheduler/sched-stats.rst).
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
};

/**
 * Returns milliseconds like those of `performance.now()`, without the time that other processes took of this one's
 * processor. A bound in these milliseconds means the same under any load. Time in which this process waits for the
 * answer of another one counts as usual.
 */
export const cpuAdjustedNow = (): number => performance.now() - waitedForProcessorMs();
