import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { childMessageSchema } from '../process/supervised.ts';
import { waitForExit, type ChildExit, readLogTail } from '../stack/processes/child.ts';
import { takeLock } from '../stack/processes/lock-file.ts';
import { signalProcess, readStartTime } from '../stack/processes/process-identity.ts';
import type { StackPaths } from './stack-paths.ts';

/** How a supervisor is started in the background. */
export interface StackStartOptions {
  /** The entry file, `src/stack/main.ts`. */
  readonly entry: string;
  /**
   * The folder of the checkout. The supervisor runs in it, so that neither a `.env` file nor a relative path depends on
   * the folder of the caller.
   */
  readonly root: string;
  /** The whole environment, as `stackEnvironment` makes it. */
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Aborted when the caller gives up before the supervisor serves. The supervisor is then stopped. */
  readonly signal: AbortSignal;
}

/** The result of starting a stack in the background. `stopped` means that the caller has given up. */
export type StackStartOutcome =
  | { readonly kind: 'ready'; readonly pid: number }
  | { readonly kind: 'stopped' }
  /** The process ended before it was ready. `log` has the last lines of its output. */
  | ({ readonly kind: 'failed'; readonly log: string } & ChildExit);

const PRIVATE_FILE = 0o600;
/** Milliseconds between two checks of a process that is not a child of this one. */
const CHECK_INTERVAL_MS = 100;

/**
 * Starts a supervisor that outlives this process. Resolves when the supervisor serves, has failed, or was stopped
 * because the caller gave up.
 */
export const startStack = async (options: StackStartOptions): Promise<StackStartOutcome> => {
  // A signal that has aborted already does not call its listeners.
  if (options.signal.aborted) return { kind: 'stopped' };
  const child = spawnSupervisor(options);
  const stop = (): void => {
    if (child.pid !== undefined) signalProcess(child.pid, 'SIGTERM');
  };
  options.signal.addEventListener('abort', stop, { once: true });
  const ready = new Promise<number>((resolve) => {
    child.on('message', (message) => {
      if (isReady(message) && child.pid !== undefined) resolve(child.pid);
    });
  });
  const exited = waitForExit(child);
  const pidOrExit = await Promise.race([ready, exited]);
  options.signal.removeEventListener('abort', stop);
  if (options.signal.aborted) {
    // A supervisor that was told to stop may still say that it serves.
    await exited;
    return { kind: 'stopped' };
  }
  if (typeof pidOrExit !== 'number') {
    return { kind: 'failed', ...pidOrExit, log: readLogTail(options.logFile) };
  }
  child.disconnect();
  child.unref();
  return { kind: 'ready', pid: pidOrExit };
};

/** How a process waits for another one that starts the same stack. */
export interface LockOptions {
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborted when the caller gives up waiting. */
  readonly signal: AbortSignal;
  /** Called once, if another process starts the stack now, with the pid of that process. */
  readonly onWait: (pid: number) => void;
}

/**
 * Runs `start` while no other process starts the same stack, and returns its result. Resolves to undefined if the
 * caller gave up before that.
 */
export const withStartLock = async <T>(
  { lockFile }: StackPaths,
  { sleep, signal, onWait }: LockOptions,
  start: () => Promise<T>,
): Promise<T | undefined> => {
  let isWaiting = false;
  for (;;) {
    const owner = await takeLock(lockFile);
    if (owner === undefined) break;
    if (!isWaiting) onWait(owner);
    isWaiting = true;
    await sleep(CHECK_INTERVAL_MS);
    if (signal.aborted) return undefined;
  }
  try {
    return await start();
  } finally {
    rmSync(lockFile, { force: true });
  }
};

/** How to wait for a process that is not a child of this one, and for how long. */
export interface StopOptions {
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly stopWithinMs: number;
}

/** Asks a process to end. Resolves to `ended` when it has, or to `running` if it takes longer than `stopWithinMs`. */
export const stopProcess = async (
  pid: number,
  { sleep, now, stopWithinMs }: StopOptions,
): Promise<'ended' | 'running'> => {
  const startTime = readStartTime(pid);
  const isRunning = (): boolean => startTime !== undefined && readStartTime(pid) === startTime;
  const until = now() + stopWithinMs;
  signalProcess(pid, 'SIGTERM');
  while (isRunning()) {
    if (now() >= until) return 'running';
    await sleep(CHECK_INTERVAL_MS);
  }
  return 'ended';
};

const spawnSupervisor = ({ entry, root, env, logFile }: StackStartOptions): ChildProcess => {
  const log = openSync(logFile, 'w', PRIVATE_FILE);
  try {
    return spawn(process.execPath, [entry], {
      cwd: root,
      env,
      // In a session of its own, so that neither Ctrl-C nor the end of the terminal reaches it.
      detached: true,
      // A file and not a pipe, since the process still writes when the reader of a pipe has gone. The channel carries
      // the message that it is ready.
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
};

const isReady = (message: unknown): boolean => {
  const parsed = childMessageSchema.safeParse(message);
  return parsed.success && 'ready' in parsed.data;
};
