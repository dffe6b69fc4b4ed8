import { signalProcess, startTimeOf } from '../stack/recovery/process-identity.ts';

/** How to wait for what is no child of this process, and how long. */
export interface StopSettings {
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly patienceMs: number;
}

const LOOK_EVERY_MS = 100;

/** Asks a process to end. Resolves once it has, or with `running` when it takes longer than `patienceMs`. */
export const stopProcess = async (
  pid: number,
  { sleep, now, patienceMs }: StopSettings,
): Promise<'ended' | 'running'> => {
  const startTime = startTimeOf(pid);
  const isThere = (): boolean => startTime !== undefined && startTimeOf(pid) === startTime;
  const until = now() + patienceMs;
  signalProcess(pid, 'SIGTERM');
  while (isThere()) {
    if (now() >= until) return 'running';
    await sleep(LOOK_EVERY_MS);
  }
  return 'ended';
};
