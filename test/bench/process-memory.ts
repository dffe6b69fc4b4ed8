import { readFileSync } from 'node:fs';

const SAMPLE_MS = 5;
const KIB_PER_MIB = 1024;

/** Returns the resident memory of a process in MiB (proc(5), VmRSS). */
export const residentMiB = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB;
};

/** Returns by how many MiB a process grew at most while `work` was under way. */
export const growthDuring = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
  const before = residentMiB(pid);
  let peak = before;
  const sample = (): void => {
    peak = Math.max(peak, residentMiB(pid));
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  sample();
  return peak - before;
};
