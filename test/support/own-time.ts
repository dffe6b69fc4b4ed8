import { readFileSync } from 'node:fs';

/** Milliseconds for which a process (its first thread) could have run and had no processor; 0 where nobody says so. */
export const keptWaitingMs = (pid: number | 'self' = 'self'): number => {
  try {
    // Linux, Documentation/scheduler/sched-stats.rst: time on the processor, then time waiting for one, in nanoseconds.
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
};

/**
 * Milliseconds like those of `performance.now()`, of which what other processes took of this one's processor is left
 * out: a bound in them means the same beside any load. What another process takes for its answer counts as ever.
 */
export const ownNow = (): number => performance.now() - keptWaitingMs();
