import { RequestThread } from '../request-thread.ts';

const THREAD_FILE = new URL('./argument-check-worker.ts', import.meta.url);
/**
 * Time in milliseconds that a check may take. Any honest schema is checked in a few milliseconds, and even a loaded
 * machine starts a thread in less than this.
 */
const TIME_LIMIT_MS = 2_000;

/** A question to the thread: do these arguments fit a JSON Schema? */
export interface ArgumentRequest {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One thing that is wrong with the arguments of a call. */
export interface ArgumentIssue {
  readonly path: (string | number)[];
  /** What was expected, in the form `expected <what>`. */
  readonly message: string;
}

/**
 * Checks arguments against the schemas of MCP servers, in a thread, because a server's pattern may be made to backtrack
 * for years, and its references to double with every level.
 */
export class ArgumentCheck {
  readonly #thread = new RequestThread<ArgumentRequest, readonly ArgumentIssue[]>(THREAD_FILE);
  /** Schemas that once were not checked in time, or could not be checked. */
  readonly #tooSlow = new WeakSet<object>();
  /** The check that was asked for last. The next one waits for it, since the thread takes one question at a time. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Finds problems of arguments. When a check takes too long or fails, it finds none and calls `onGivenUp`, and this
   * schema object is not tried again: the server checks its arguments itself. Never rejects, unless `onGivenUp` throws.
   */
  findIssues(request: ArgumentRequest, onGivenUp: () => void): Promise<readonly ArgumentIssue[]> {
    const check = this.#last.then(() => this.#ask(request, onGivenUp));
    this.#last = check.catch(() => undefined);
    return check;
  }

  /** Ends the thread. A check that runs finds no problems then. */
  close(): Promise<void> {
    return this.#thread.stop();
  }

  async #ask(request: ArgumentRequest, onGivenUp: () => void): Promise<readonly ArgumentIssue[]> {
    if (this.#tooSlow.has(request.schema)) return [];
    try {
      return await this.#thread.request(request, AbortSignal.timeout(TIME_LIMIT_MS));
    } catch {
      this.#tooSlow.add(request.schema);
      onGivenUp();
      return [];
    }
  }
}
