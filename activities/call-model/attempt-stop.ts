import { Context } from '@temporalio/activity';

/**
 * Why an attempt stops before the model has finished.
 *
 * - `cancelled`: the workflow has requested a cancel of the activity, or the live lane says that the user has cancelled
 *   the turn. The workflow also requests one for a message that interrupts.
 * - `steered`: the live lane says that a message of the user has interrupted the call.
 * - `time`: the turn's deadline has passed.
 * - `superseded`: a later attempt has begun.
 * - `gone`: the workflow is closed.
 * - `worker_stopping`: the worker shuts down, or the activity was paused, reset or timed out. Another attempt follows
 *   if any is left.
 */
export type StopCause = 'cancelled' | 'steered' | 'time' | 'superseded' | 'gone' | 'worker_stopping';

/**
 * Ends an attempt at a model call early: at the deadline, when the activity is cancelled, or when `stop` is called.
 * Only the first cause counts.
 */
export class AttemptStop {
  readonly #controller = new AbortController();
  readonly #lossController = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  // A cancel arrives outside of the activity's async context: `Context.current()` would throw there.
  readonly #context = Context.current();
  #cause: StopCause | undefined;

  /** Begins to watch for the deadline and for a cancel. `deadline` is in milliseconds since 1970. */
  constructor(deadline: number) {
    this.#deadline = setTimeout(() => this.stop('time'), Math.max(0, deadline - Date.now()));
    const { cancellationSignal } = this.#context;
    if (cancellationSignal.aborted) this.#onCancel();
    else cancellationSignal.addEventListener('abort', this.#onCancel, { once: true });
  }

  /** Aborted when the attempt stops, whatever the cause. It ends the request to the provider. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Aborted when the activity was interrupted or its workflow is closed, so that Temporal no longer takes this
   * attempt's result. A requested cancel does not abort it, since what the model has said until then counts.
   */
  get lossSignal(): AbortSignal {
    return this.#lossController.signal;
  }

  /** The cause of the stop, undefined while the attempt has not been stopped. */
  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** Stops the attempt, unless it has been stopped already. */
  stop(cause: StopCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#controller.abort();
  }

  /** Stops the timer of the deadline. Call it when the attempt has ended, however it ended. */
  dispose(): void {
    clearTimeout(this.#deadline);
  }

  readonly #onCancel = (): void => {
    const details = this.#context.cancellationDetails;
    if (details?.cancelRequested) return this.stop('cancelled');
    this.#lossController.abort();
    this.stop(details?.notFound ? 'gone' : 'worker_stopping');
  };
}
