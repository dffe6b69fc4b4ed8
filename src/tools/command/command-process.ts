import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Duplex, Writable } from 'node:stream';
import { setImmediate as nextLoopIteration, setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { CommandOutput } from './command-output.ts';
import { CommandLostError, SandboxError } from './command-failure.ts';
import { type CommandWatch, hasPermission, type CommandLaunch, type RunLimits } from './command-launch.ts';
import { watchTree } from './process-tree.ts';
import { SandboxStatus } from './sandbox-status.ts';

/** Why a command was ended before it ended by itself. */
export type CommandStopCause = 'timeout' | 'cancelled' | 'output' | 'processes' | 'memory' | 'exposed';

/** The end of a command: by its own code, by a signal, or because it was stopped. */
export interface CommandEnd {
  /**
   * Exit code. If a signal ended the process, it is 128 more than the signal's number in a sandbox, and null without
   * one. Null also if the command was stopped before it had an exit code.
   */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly stopped?: CommandStopCause;
}

/** Time in milliseconds that a command has to end by itself, from SIGTERM to SIGKILL. */
export const TERMINATION_MS = 2_000;
/** Priority of commands (nice(2)), so that they get the processor after what answers people. */
const NICENESS = 10;
/**
 * Time in milliseconds that the outputs have to close once the group is dead. A process that has left the group may
 * keep one open.
 */
export const CLOSE_MS = 1_000;

/**
 * Runs a command until it ends, or until it exceeds a limit and is ended. When this settles, its process group has been
 * killed, and in a sandbox every process. Rejects with SandboxError, CommandLostError, or what `mayBegin` rejects with.
 */
export const runCommandProcess = async (
  launch: CommandLaunch,
  limits: RunLimits,
  watch: CommandWatch,
): Promise<CommandEnd> => new CommandProcess(launch, limits, watch).run();

class CommandProcess {
  readonly #launch: CommandLaunch;
  readonly #limits: RunLimits;
  readonly #watch: CommandWatch;
  readonly #child: ChildProcess;
  /** Aborted when the process has ended. */
  readonly #ended = new AbortController();
  readonly #status = new SandboxStatus();
  readonly #output: CommandOutput;
  #stopped: CommandStopCause | undefined;
  #hasBegun = false;
  /** The reason why the command was not allowed to begin. Undefined if it was. */
  #refusal: Error | undefined;

  constructor(launch: CommandLaunch, limits: RunLimits, watch: CommandWatch) {
    this.#launch = launch;
    this.#limits = limits;
    this.#watch = watch;
    this.#child = startProgram(launch);
    this.#output = new CommandOutput(this.#child, {
      onOutput: watch.onOutput,
      maxBytes: limits.outputBytes,
      onExcess: () => void this.#stop('output'),
    });
  }

  async run(): Promise<CommandEnd> {
    const { signal } = this.#watch;
    const ended = this.#awaitEnd();
    const stop = (cause: CommandStopCause) => () => void this.#stop(cause);
    const cancel = stop('cancelled');
    const timer = setTimeout(stop('timeout'), this.#limits.timeoutMs);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const exposed = this.#launch.sandbox?.exposed;
    const expose = stop('exposed');
    exposed?.addEventListener('abort', expose, { once: true });
    if (exposed?.aborted) expose();
    try {
      this.#read();
      void this.#watchLimits();
      const end = await ended;
      if (this.#refusal) throw this.#refusal;
      return this.#endOf(end);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      exposed?.removeEventListener('abort', expose);
      this.#ended.abort();
    }
  }

  async #awaitEnd(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const child = this.#child;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const exit = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
      (resolve, reject) => {
        child.once('error', (error) => reject(cannotStartError(error)));
        child.once('exit', (code, signal) => resolve({ code, signal }));
      },
    );
    // What is left of the group is ended, too. In a sandbox the kernel does that.
    if (!this.#launch.sandbox) signalGroup(child.pid, 'SIGKILL');
    // If this process was suspended, the timer fires before pending output was read. One more iteration of the event
    // loop reads it.
    await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false }).then(() => nextLoopIteration())]);
    for (const stream of child.stdio) stream?.destroy();
    return exit;
  }

  #read(): void {
    this.#output.read();
    // The type of `stdio` has only five handles. The child has none if this process had none left for it; an `error`
    // follows then.
    const stdio = this.#child.stdio as readonly (Duplex | null)[] | undefined;
    const [, , , gate, options, status, filter] = stdio ?? [];
    // A program that ends early breaks these pipes, which says no more than its end does.
    for (const handle of [gate, options, status, filter]) handle?.on('error', () => undefined);
    gate?.once('data', () => void this.#begin(gate));
    const { sandbox } = this.#launch;
    if (sandbox) {
      options?.end(sandbox.options.join('\0'));
      filter?.end(sandbox.filter);
    }
    status?.on('data', (bytes: Buffer) => this.#status.take(bytes));
    if (this.#child.pid !== undefined) lowerPriority(this.#child.pid);
  }

  async #begin(gate: Writable): Promise<void> {
    try {
      if (!(await hasPermission(this.#watch))) {
        this.#refusal = new SandboxError('the call was given up, or repeated elsewhere');
      }
    } catch (error) {
      this.#refusal = error instanceof Error ? error : new Error(errorMessage(error));
    }
    if (this.#refusal) return this.#kill();
    if (this.#stopped !== undefined) return;
    this.#hasBegun = true;
    gate.write('go\n');
  }

  async #watchLimits(): Promise<void> {
    const { pid } = this.#child;
    const excess = pid === undefined ? undefined : await watchTree(pid, this.#limits, this.#ended.signal);
    if (excess === undefined) return;
    this.#stopped ??= excess;
    this.#kill();
  }

  /**
   * Ends the command, unless it is being ended already. Sends SIGTERM and, after `TERMINATION_MS`, SIGKILL. For some
   * causes, and before the command has begun, it sends SIGKILL at once.
   */
  async #stop(cause: CommandStopCause): Promise<void> {
    if (this.#stopped !== undefined) return;
    this.#stopped = cause;
    const leader = this.#launch.sandbox ? this.#status.firstProcess : this.#child.pid;
    // A flood needs no grace, an exposed secret may be read at any moment, and a command that has not begun leaves
    // nothing behind.
    const getsNoGrace = cause === 'output' || cause === 'exposed' || !this.#hasBegun;
    if (leader === undefined || getsNoGrace) return this.#kill();
    this.#signal(leader, 'SIGTERM');
    await delay(TERMINATION_MS, undefined, { signal: this.#ended.signal }).catch(() => undefined);
    if (!this.#ended.signal.aborted) this.#kill();
  }

  /** Kills the command. With the first process of its namespace, the kernel ends all others of a sandbox. */
  #kill(): void {
    this.#signal(this.#status.firstProcess, 'SIGKILL');
    this.#signal(this.#child.pid, 'SIGKILL');
  }

  /** Signals a group of the command. Once the command has ended, the number may belong to another group. */
  #signal(group: number | undefined, signal: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) signalGroup(group, signal);
  }

  #endOf({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }): CommandEnd {
    const stopped = this.#stopped && { stopped: this.#stopped };
    if (this.#stopped && !this.#hasBegun) {
      throw new SandboxError(`it was ended before it began (${this.#stopped})`);
    }
    if (!this.#launch.sandbox) return { exitCode: code, ...(signal && { signal }), ...stopped };
    const { exitCode = null, signal: endSignal } = this.#status;
    if (exitCode === null && !stopped && code !== 0) {
      if (this.#hasBegun) throw new CommandLostError(`the sandbox ended with ${code ?? signal}`);
      throw new SandboxError(this.#output.stderrTail.trim() || `it ended with ${code ?? signal}`);
    }
    return { exitCode, ...(endSignal !== undefined && { signal: endSignal }), ...stopped };
  }
}

/** Starts the program. Throws SandboxError for some failures, and the `error` of the child reports others. */
const startProgram = ({ program, args, cwd, env, sandbox }: CommandLaunch): ChildProcess => {
  const handle = sandbox ? 'pipe' : 'ignore';
  try {
    return spawn(program, args, {
      cwd,
      env,
      // Makes the process the leader of a group and session of its own, which can be ended as a whole.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', handle, handle, handle],
    });
  } catch (error) {
    throw cannotStartError(error);
  }
};

const signalGroup = (group: number | undefined, signal: NodeJS.Signals): void => {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch {
    // No process of the group is left, or none that this account may signal.
  }
};

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The process has ended already, or its priority may not be changed.
  }
};

const cannotStartError = (cause: unknown): Error =>
  new SandboxError(`it could not be started (${errorMessage(cause)})`, { cause });
