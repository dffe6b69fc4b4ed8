import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, fstatSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../../base/errors/start-error.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { signalProcess } from './process-identity.ts';
import type { ProcessesFile, ProcessRole } from './processes-file.ts';
import type { ReapList } from './reap-list.ts';
import type { StopSignal } from './reap.ts';

/** A program to run. Its output goes to `logFile`. `port` is the port on which the process is known to listen. */
export interface ChildSpec {
  readonly role: ProcessRole;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
  readonly stopSignal: StopSignal;
  readonly port?: number;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** True to open the IPC channel of `src/process/supervised.ts`. */
  readonly hasIpc: boolean;
}

/** The end of a child. `how` describes it for a person. */
export interface ChildExit {
  readonly how: string;
  /** Exit code. Null if a signal ended the child, or if the child could not be run. */
  readonly code: number | null;
}

/** A child process as `startChild` returns it. */
export interface ChildHandle {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly exited: Promise<ChildExit>;
  /** Returns the last lines of the child's output, for a message about its end. */
  logTail(): string;
}

/** The two lists in which a supervisor records its children, so that none outlives it unseen. */
export interface ChildRegistry {
  readonly processes: ProcessesFile;
  readonly reapList: ReapList;
}

/** Resolves when a child has ended, or could not be run. Never rejects. */
export const waitForExit = (child: ChildProcess): Promise<ChildExit> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
    // A program that cannot be started reports `error` and never exits.
    child.once('error', (error) => resolve({ how: error.message, code: null }));
  });

/**
 * Starts a child and keeps it in both lists until it ends. What is left of its process group is then killed. Rejects
 * with StartError when the program cannot be run. When the child cannot be listed, kills it and rejects with that
 * failure.
 */
export const startChild = async (
  spec: ChildSpec,
  { processes, reapList }: ChildRegistry,
): Promise<ChildHandle> => {
  mkdirSync(dirname(spec.logFile), { recursive: true });
  const process = spawnDetached(spec);
  const exited = waitForExit(process);
  const { pid } = process;
  if (pid === undefined) throw cannotStartError(spec, (await exited).how);
  const forget = (): void => {
    // Processes that a killed child had started (searches, MCP servers) must not outlive it.
    signalProcess(pid, 'SIGKILL', 'group');
    processes.remove(pid);
    reapList.remove(pid);
  };
  try {
    reapList.add(pid, spec.stopSignal);
    processes.add(
      spec.port === undefined ? { role: spec.role, pid } : { role: spec.role, pid, port: spec.port },
    );
  } catch (error) {
    // The child is in no list, usually because of a full disk, so nothing else would end it.
    signalProcess(pid, 'SIGKILL', 'group');
    await exited;
    forget();
    throw error;
  }
  void exited.then(forget);
  return { pid, process, exited, logTail: () => readLogTail(spec.logFile) };
};

/**
 * Asks a child to end, and kills its process group if it still runs after `graceMs`. Resolves when the child has ended.
 */
export const stopChild = async (child: ChildHandle, signal: StopSignal, graceMs: number): Promise<void> => {
  signalProcess(child.pid, signal);
  const timer = setTimeout(() => signalProcess(child.pid, 'SIGKILL', 'group'), graceMs);
  await child.exited;
  clearTimeout(timer);
};

const TAIL_BYTES = 4096;
const TAIL_LINES = 20;

/** Returns the last lines of a log file, at most 20 lines and 4 KiB. The text is empty if the file cannot be read. */
export const readLogTail = (path: string): string => {
  try {
    const file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    closeSync(file);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  }
};

const describeExit = (code: number | null, signal: NodeJS.Signals | null): ChildExit => ({
  how: signal === null ? `exit code ${code}` : `signal ${signal}`,
  code,
});

/** Starts the program. Throws StartError for some failures, and the `error` of the child reports others. */
const spawnDetached = (spec: ChildSpec): ChildProcess => {
  const log = openSync(spec.logFile, 'a');
  try {
    return spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      // In a process group of its own, so that Ctrl-C reaches only the supervisor, which stops all in order.
      detached: true,
      // Files and not pipes, because a child may write after its supervisor was killed.
      stdio: spec.hasIpc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      ...spec.user,
    });
  } catch (error) {
    throw cannotStartError(spec, errorMessage(error));
  } finally {
    closeSync(log);
  }
};

const cannotStartError = ({ role }: ChildSpec, reason: string): StartError =>
  new StartError(`${role} could not be started: ${reason}`);
