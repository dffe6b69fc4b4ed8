import { type ProviderError, providerUnavailableError } from './provider-error.ts';

/** How long a model call may take in all, and how long it may be silent. */
export interface CallLimits {
  /** Longest wait for the next byte, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Longest time for the whole call, in milliseconds. */
  readonly totalTimeoutMs: number;
}

/** Time in milliseconds to wait for the frames that follow a finish reason (usage, `[DONE]`). */
const LINGER_MS = 1_000;

/**
 * Time in milliseconds that a call still gets when its idle time is over. In a process that stood still, timers fire
 * before what arrived meanwhile is read.
 */
const SECOND_CHECK_MS = 50;
/** Time in milliseconds by which a timer must be late to show that the process stood still. */
const STOOD_STILL_MS = 500;

/**
 * Ends one model call: its signal closes the connection when the caller aborts, when no byte comes, when the call takes
 * too long, or when the connection stays open after the whole answer.
 */
export class CallGuard {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onCallerAbort = () => this.#controller.abort(this.#caller.reason);
  readonly #total: NodeJS.Timeout;
  readonly #idle: NodeJS.Timeout;
  #linger: NodeJS.Timeout | undefined;
  #secondCheck: NodeJS.Timeout | undefined;
  /** Number of times that the idle time began anew. */
  #restarts = 0;
  #waitingSince = performance.now();
  #failure: ProviderError | undefined;
  #isClosed = false;

  constructor(limits: CallLimits, caller: AbortSignal) {
    this.#caller = caller;
    this.#total = setTimeout(() => {
      this.#fail(`The model's answer took longer than ${seconds(limits.totalTimeoutMs)}.`);
    }, limits.totalTimeoutMs);
    this.#idle = setTimeout(() => this.#checkSilence(limits.idleTimeoutMs), limits.idleTimeoutMs);
    caller.addEventListener('abort', this.#onCallerAbort, { once: true });
    if (caller.aborted) this.#onCallerAbort();
  }

  /**
   * Aborted when the connection to the provider is to be closed. `throwIfEnded` then tells why, unless the answer was
   * whole.
   */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Notes that the provider sent something, so that its idle time begins anew. */
  restartIdleTime(): void {
    // `refresh` would start a cleared timer again.
    if (this.#isClosed) return;
    this.#restarts += 1;
    this.#waitingSince = performance.now();
    this.#idle.refresh();
  }

  /** Notes that the answer is whole. The connection is closed a second later if `resume` is not called before. */
  linger(): void {
    this.#linger ??= setTimeout(() => this.#controller.abort(), LINGER_MS).unref();
  }

  /** Notes that more of the answer came after what looked like its end. */
  resume(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
  }

  /** Throws the caller's reason if the caller has aborted the call. */
  throwIfCallerAborted(): void {
    this.#caller.throwIfAborted();
  }

  /** Throws the reason why the call ended, if the caller or a timeout ended it. */
  throwIfEnded(): void {
    this.throwIfCallerAborted();
    if (this.#failure) throw this.#failure;
  }

  /** Stops the timers, and closes the connection if it is still open. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
    clearTimeout(this.#secondCheck);
    clearTimeout(this.#linger);
    this.#caller.removeEventListener('abort', this.#onCallerAbort);
    this.#controller.abort();
  }

  #checkSilence(idleTimeoutMs: number): void {
    // Nobody knows how long the provider itself was silent, so it gets its whole time again.
    if (performance.now() - this.#waitingSince > idleTimeoutMs + STOOD_STILL_MS) {
      this.restartIdleTime();
      return;
    }
    const restarts = this.#restarts;
    this.#secondCheck = setTimeout(() => {
      if (this.#restarts !== restarts) return;
      this.#fail(`The model provider sent nothing for ${seconds(idleTimeoutMs)}.`);
    }, SECOND_CHECK_MS);
  }

  #fail(message: string): void {
    this.#failure = providerUnavailableError(message);
    this.#controller.abort(this.#failure);
  }
}

const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;
