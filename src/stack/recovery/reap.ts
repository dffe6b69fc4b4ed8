import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess, startTimeOf } from './process-identity.ts';
import type { ReapEntry } from './reap-lines.ts';

const POLL_MS = 20;

const isAlive = ({ pid, startTime }: ReapEntry): boolean => startTimeOf(pid) === startTime;

/**
 * Ends processes: each gets its own signal at once, and what is left after `graceMs` is killed with its group.
 * Resolves when all are gone.
 */
export const reap = async (entries: readonly ReapEntry[], graceMs: number): Promise<void> => {
  const alive = entries.filter(isAlive);
  for (const { pid, signal } of alive) signalProcess(pid, signal);
  const deadline = performance.now() + graceMs;
  while (alive.some(isAlive) && performance.now() < deadline) await delay(POLL_MS);
  for (const entry of alive) if (isAlive(entry)) signalProcess(entry.pid, 'SIGKILL', 'group');
  // A killed process is gone within milliseconds; a zombie waits for its parent, who is not us.
  const killed = performance.now() + 1000;
  while (alive.some(isAlive) && performance.now() < killed) await delay(POLL_MS);
};

/**
 * Ends what processes that are gone had started themselves: they could not tell it to end if they were killed. Only for
 * those that have just ended, since nobody else can have got a group of that number yet.
 */
export const reapGroups = (entries: readonly ReapEntry[]): void => {
  for (const { pid } of entries) if (startTimeOf(pid) === undefined) signalProcess(pid, 'SIGKILL', 'group');
};
