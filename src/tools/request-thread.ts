import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * A thread for work on foreign input that may take long or never end. The thread starts with the first request, and is
 * ended in the middle of its work when the signal of a request is aborted. The file that it runs answers each message
 * with one message.
 */
export class RequestThread<Request, Response> {
  readonly #file: URL;
  #worker: Worker | undefined;

  constructor(file: URL) {
    this.#file = file;
  }

  /**
   * Sends the thread a request and returns its response. Only one request may be under way at a time. Rejects with the
   * signal's reason when the signal is aborted, otherwise with the error that has ended the thread. A request that
   * fails while it is under way ends the thread, and the next request starts another thread.
   */
  async request(request: Request, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= startWorker(this.#file));
    const stop = new AbortController();
    try {
      worker.postMessage(request, []);
      // `once` also rejects with what the thread throws.
      const [response] = (await Promise.race([
        once(worker, 'message', { signal: AbortSignal.any([signal, stop.signal]) }),
        untilExited(worker, stop.signal),
      ])) as [Response];
      return response;
    } catch (error) {
      await this.stop();
      signal.throwIfAborted();
      throw error;
    } finally {
      stop.abort();
    }
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/**
 * Starts the thread. It gets no environment, since it runs the code of libraries on foreign input. The limit bounds its
 * JavaScript heap, though not the memory of buffers and of WebAssembly.
 */
const startWorker = (file: URL): Worker => {
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // The caller gets the error from `once` in `request`. Without a listener, an error that comes while nobody waits
  // would end the process.
  return worker.on('error', () => undefined);
};

const untilExited = async (worker: Worker, signal: AbortSignal): Promise<never> => {
  const [code] = (await once(worker, 'exit', { signal })) as [number];
  throw new Error(`the thread ended unexpectedly (${code})`);
};
