import { Context } from '@temporalio/activity';

/**
 * Why an attempt stops before the model has finished. `cancelled`: a user's wish. `steered`: a user has said something
 * that the turn goes on with. `time`: the turn's deadline. `superseded`: a later attempt has begun. `gone`: the
 * workflow is closed. `interrupted`: worker shutdown, pause, reset or timeout; another attempt will follow.
 */
export type StopCause = 'cancelled' | 'steered' | 'time' | 'superseded' | 'gone' | 'interrupted';

/**
 * Ends an attempt at a model call before its time: at the deadline, on a cancel, or as `stop` says why. The first cause
 * wins; `signal` closes the provider's socket.
 */
export class AttemptStop {
  readonly #controller = new AbortController();
  readonly #loss = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  // A cancel arrives outside of the activity's async context: `Context.current()` would throw there.
  readonly #context = Context.current();
  #cause: StopCause | undefined;

  /** `deadline` is in milliseconds since the epoch. */
  constructor(deadline: number) {
    this.#deadline = setTimeout(() => this.stop('time'), Math.max(0, deadline - Date.now()));
    const { cancellationSignal } = this.#context;
    if (cancellationSignal.aborted) this.#onCancel();
    else cancellationSignal.addEventListener('abort', this.#onCancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted when nobody will take this attempt's result. A user's cancel is no such case: what was said stands. */
  get lossSignal(): AbortSignal {
    return this.#loss.signal;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  stop(cause: StopCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#controller.abort();
  }

  dispose(): void {
    clearTimeout(this.#deadline);
  }

  readonly #onCancel = (): void => {
    const details = this.#context.cancellationDetails;
    if (details?.cancelRequested) return this.stop('cancelled');
    this.#loss.abort();
    this.stop(details?.notFound ? 'gone' : 'interrupted');
  };
}
