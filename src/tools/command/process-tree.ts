import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The limits on a process and all below it, together. */
export interface TreeLimits {
  /** Largest number of processes and threads. */
  readonly processes: number;
  /** Largest resident memory of all processes together, in bytes. */
  readonly memoryBytes: number;
}

/** The limit that a command's processes have exceeded, all together. */
export type ProcessExcess = 'processes' | 'memory';

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;

/**
 * Finds the limit that `pid` and the processes below it exceed together. Returns undefined if there is none. A process
 * that has lost its parent is found, too, if the first process of its namespace is among them. Where the kernel does
 * not list children (macOS), nothing is found.
 */
export const findExcess = async (pid: number, limits: TreeLimits): Promise<ProcessExcess | undefined> => {
  const waiting = [pid];
  let memory = 0;
  let count = 0;
  for (;;) {
    const next = waiting.pop();
    if (next === undefined) return undefined;
    const threads = await listThreads(next);
    count += threads.length;
    if (count > limits.processes) return 'processes';
    const [children, own] = await Promise.all([listChildren(next, threads), readMemory(next)]);
    waiting.push(...children);
    memory += own;
    if (memory > limits.memoryBytes) return 'memory';
  }
};

const POLL_MS = 250;

/**
 * Watches `pid` and the processes below it until they exceed a limit, which it returns, or until the signal is aborted.
 * The kernel bounds what each process may have. This bounds all of them together, and also processes of root, of which
 * Linux allows any number.
 */
export const watchTree = async (
  pid: number,
  limits: TreeLimits,
  signal: AbortSignal,
): Promise<ProcessExcess | undefined> => {
  while (!signal.aborted) {
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    const excess = signal.aborted ? undefined : await findExcess(pid, limits);
    if (excess !== undefined) return excess;
  }
  return undefined;
};

/** Returns the ids of a process's threads, each of which has its own children. Returns none if the process is gone. */
const listThreads = (pid: number): Promise<string[]> => readdir(`/proc/${pid}/task`).catch(() => []);

const listChildren = async (pid: number, threads: readonly string[]): Promise<number[]> => {
  const texts = await Promise.all(
    threads.map((thread) => readProcText(`/proc/${pid}/task/${thread}/children`)),
  );
  return texts.flatMap((text) => text.split(' ').filter(Boolean).map(Number));
};

const readProcText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/**
 * Returns the resident memory of a process in bytes, 0 if the process is gone. `statm` would give it in pages, whose
 * size Node cannot tell.
 */
const readMemory = async (pid: number): Promise<number> =>
  Number(RESIDENT.exec(await readProcText(`/proc/${pid}/status`))?.[1] ?? 0) * 1_024;
