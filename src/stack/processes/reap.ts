import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess, startTimeOf } from './process-identity.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const satisfies readonly NodeJS.Signals[];
/** A signal by which a child is asked to end. */
export type StopSignal = (typeof SIGNALS)[number];

/** A process that has to end when the supervisor ends. */
export interface ReapEntry {
  readonly pid: number;
  readonly signal: StopSignal;
  /** Time at which the process began; see `startTimeOf`. */
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

/**
 * Ends processes. Each gets its own signal at once, and after `graceMs` those that are left are killed with their
 * groups. Resolves when all have ended, or a second after they were killed.
 */
export const reapProcesses = async (entries: readonly ReapEntry[], graceMs: number): Promise<void> => {
  const alive = entries.filter(isAlive);
  for (const { pid, signal } of alive) signalProcess(pid, signal);
  const deadline = performance.now() + graceMs;
  while (alive.some(isAlive) && performance.now() < deadline) await delay(POLL_MS);
  for (const entry of alive) if (isAlive(entry)) signalProcess(entry.pid, 'SIGKILL', 'group');
  // A killed process is usually gone within milliseconds. One that is not gone after a second is left.
  const killed = performance.now() + 1000;
  while (alive.some(isAlive) && performance.now() < killed) await delay(POLL_MS);
};

const isAlive = ({ pid, startTime }: ReapEntry): boolean => startTimeOf(pid) === startTime;

/**
 * Kills what is left of the groups of processes that have ended, because a killed process cannot end its own children.
 * Call it only for processes that have just ended, since the number of such a group cannot belong to another group yet.
 */
export const reapGroups = (entries: readonly ReapEntry[]): void => {
  for (const { pid } of entries) if (startTimeOf(pid) === undefined) signalProcess(pid, 'SIGKILL', 'group');
};
