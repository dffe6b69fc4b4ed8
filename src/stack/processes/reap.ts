import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess, readStartTime } from './process-identity.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const satisfies readonly NodeJS.Signals[];
/** A signal by which a child is asked to end. */
export type StopSignal = (typeof SIGNALS)[number];

/** A process that has to end when the supervisor ends. */
export interface ReapEntry {
  readonly pid: number;
  readonly signal: StopSignal;
  /** Time at which the process began; see `readStartTime`. */
  readonly startTime: string;
}

const ADDED = new RegExp(`^\\+(\\d+) (${SIGNALS.join('|')}) (\\S+)$`);

/** Returns the line that adds a process to the list of those that have to end with the supervisor. */
export const addedLine = (entry: ReapEntry): string => `+${entry.pid} ${entry.signal} ${entry.startTime}\n`;
/** Returns the line that removes a process from the list. */
export const removedLine = (pid: number): string => `-${pid}\n`;

/**
 * Returns the entries that are left after all lines. Unknown lines are ignored, such as one that a crash has cut short.
 */
export const remainingEntries = (text: string): readonly ReapEntry[] => {
  const entries = new Map<number, ReapEntry>();
  for (const line of text.split('\n')) {
    const [, pid, signal, startTime] = ADDED.exec(line) ?? [];
    if (pid !== undefined && startTime !== undefined) {
      entries.set(Number(pid), { pid: Number(pid), signal: signal as StopSignal, startTime });
    } else if (/^-\d+$/.test(line)) {
      entries.delete(Number(line.slice(1)));
    }
  }
  return [...entries.values()];
};

const POLL_MS = 20;

/** Milliseconds for which a killed process is waited for. It is usually gone at once. */
const KILL_MS = 1_000;

/**
 * Ends processes. Each gets its own signal at once, and after `graceMs` those that are left are killed with their
 * groups. A process that cannot be looked at is signalled once it can be: nothing else shows that its pid has not been
 * given to another process. Resolves when all have ended, or a second after they were killed.
 */
export const reapProcesses = async (entries: readonly ReapEntry[], graceMs: number): Promise<void> => {
  const stillRunning = await signalAndWait(entries, graceMs, ({ pid, signal }) => signalProcess(pid, signal));
  await signalAndWait(stillRunning, KILL_MS, ({ pid }) => signalProcess(pid, 'SIGKILL', 'group'));
};

/**
 * Calls `signal` once for each process that is alive. Resolves when all have ended or `withinMs` are over, to the
 * entries of which it is not known that they have ended.
 */
const signalAndWait = async (
  entries: readonly ReapEntry[],
  withinMs: number,
  signal: (entry: ReapEntry) => void,
): Promise<readonly ReapEntry[]> => {
  const end = performance.now() + withinMs;
  const signalled = new Set<ReapEntry>();
  let remaining = entries;
  for (;;) {
    remaining = remaining.filter((entry) => {
      const startTime = tryReadStartTime(entry.pid);
      if (startTime !== entry.startTime) return startTime === UNKNOWN;
      if (!signalled.has(entry)) signal(entry);
      signalled.add(entry);
      return true;
    });
    if (remaining.length === 0 || performance.now() >= end) return remaining;
    await delay(POLL_MS);
  }
};

const UNKNOWN = 'unknown';

/** Returns what `readStartTime` returns, or `UNKNOWN`, which is no start time, where that throws. */
const tryReadStartTime = (pid: number): string | undefined => {
  try {
    return readStartTime(pid);
  } catch {
    return UNKNOWN;
  }
};

/**
 * Kills what is left of the groups of processes that have ended, because a killed process cannot end its own children.
 * Call it only for processes that have just ended, since the number of such a group cannot belong to another group yet.
 * A process that cannot be looked at may live, so its group is left.
 */
export const reapGroups = (entries: readonly ReapEntry[]): void => {
  for (const { pid } of entries) {
    if (tryReadStartTime(pid) === undefined) signalProcess(pid, 'SIGKILL', 'group');
  }
};
