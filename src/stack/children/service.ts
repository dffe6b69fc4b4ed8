import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../contracts/values/error-message.ts';
import {
  startChild,
  stopChild,
  type ChildHandle,
  type ChildExit,
  type ChildRegistry,
  type ChildSpec,
} from '../processes/child.ts';
import { StartError } from '../../base/errors/start-error.ts';

/**
 * Milliseconds before the second restart in a row. The first restart comes at once, since a killed worker must not cost
 * a turn a second. Later pauses double up to `MAX_BACKOFF_MS`.
 */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
/** Milliseconds that a child must have served to count as recovered. The next restart then comes at once again. */
const HEALTHY_MS = 10_000;

/** Milliseconds within which a child must serve. */
export const READY_TIMEOUT_MS = 60_000;

/** Milliseconds between the signal that asks a child to end and SIGKILL. */
export const STOP_GRACE_MS = 5_000;

export interface ServiceOptions {
  /** Called for every start, because a worker gets a new identity each time. */
  readonly spec: () => ChildSpec;
  /** Resolves when the child serves. Rejects when it cannot serve or ends before. */
  readonly waitUntilReady: (child: ChildHandle) => Promise<void>;
  readonly registry: ChildRegistry;
  readonly graceMs: number;
  /** Grace of a child that does not serve yet. Absent means `graceMs`. */
  readonly startingGraceMs?: number;
  /** Called when the child serves. `ended` is aborted when the child ends. */
  readonly watch?: (child: ChildHandle, ended: AbortSignal) => void;
  /** Called when a child that served has ended without being asked to. The restart does not wait for it. */
  readonly onLost?: (spec: ChildSpec, exit: ChildExit) => void;
  readonly log: (line: string) => void;
}

interface RunningChild {
  readonly spec: ChildSpec;
  readonly child: ChildHandle;
}

/**
 * Keeps one process running. `start` starts it. Once it has served, it is started again whenever it ends, until `stop`
 * is called.
 */
export class SupervisedService {
  readonly #options: ServiceOptions;
  readonly #stopping = new AbortController();
  #current: RunningChild | undefined;
  #isServing = false;
  #restarting: Promise<void> = Promise.resolve();

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /**
   * Starts the first child, and resolves when the child is ready. Rejects with StartError, which shows the end of the
   * log, when the child does not become ready. Rejects when `stop` was called before.
   */
  async start(): Promise<void> {
    const running = await this.#launch();
    this.#restarting = this.#keepRunning(running);
  }

  /**
   * Ends the child and all restarts. It may be called at any time, and more than once. Resolves when the child has
   * ended. A first child that is just being started is ended by `start`, which then rejects.
   */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('stopped'));
    await this.#stopCurrent(this.#graceMs);
    await this.#restarting;
  }

  async #launch(): Promise<RunningChild> {
    this.#stopping.signal.throwIfAborted();
    const spec = this.#options.spec();
    const running = { spec, child: await startChild(spec, this.#options.registry) };
    this.#current = running;
    this.#isServing = false;
    // If `stop` was called while the program was being started, it could not see this child yet.
    if (this.#stopping.signal.aborted) await this.#stopCurrent(this.#graceMs);
    try {
      await this.#options.waitUntilReady(running.child);
      this.#isServing = true;
    } catch (error) {
      throw startFailure(running, error);
    }
    return running;
  }

  async #keepRunning(first: RunningChild): Promise<void> {
    let next: RunningChild | undefined = first;
    let backoff = 0;
    while (!this.#stopping.signal.aborted) {
      const since = performance.now();
      if (next !== undefined) await this.#waitUntilLost(next);
      if (performance.now() - since > HEALTHY_MS) backoff = 0;
      await this.#pause(backoff);
      backoff = Math.min(Math.max(backoff * 2, MIN_BACKOFF_MS), MAX_BACKOFF_MS);
      next = this.#stopping.signal.aborted ? undefined : await this.#relaunch();
    }
  }

  async #waitUntilLost({ spec, child }: RunningChild): Promise<void> {
    const ended = new AbortController();
    this.#options.watch?.(child, ended.signal);
    const exit = await child.exited;
    ended.abort();
    if (this.#stopping.signal.aborted) return;
    this.#options.log(`${spec.role} (process ${child.pid}) ended: ${exit.how}; starting it again`);
    this.#options.onLost?.(spec, exit);
  }

  /** Starts the child again. If that fails, the child is killed and the result is undefined. */
  async #relaunch(): Promise<RunningChild | undefined> {
    try {
      return await this.#launch();
    } catch (error) {
      if (!this.#stopping.signal.aborted) {
        this.#options.log(errorMessage(error));
        await this.#stopCurrent(0);
      }
      return undefined;
    }
  }

  get #graceMs(): number {
    const { graceMs, startingGraceMs = graceMs } = this.#options;
    return this.#isServing ? graceMs : startingGraceMs;
  }

  async #stopCurrent(graceMs: number): Promise<void> {
    if (this.#current !== undefined) {
      await stopChild(this.#current.child, this.#current.spec.stopSignal, graceMs);
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    // `stop` ends the pause by aborting it.
    await delay(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

const startFailure = ({ spec, child }: RunningChild, error: unknown): StartError => {
  const reason = errorMessage(error);
  const log = `The end of ${spec.logFile}:\n${child.logTail()}`;
  return new StartError(`${spec.role} did not start: ${reason}. ${log}`, { cause: error });
};
