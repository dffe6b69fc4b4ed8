import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * A thread for work on foreign input, which may take long or never end: it starts with the first question, and is ended
 * in the middle of its work when time is up. Its file answers each message with another one.
 */
export class AnsweringThread<Question, Answer> {
  readonly #file: URL;
  #worker: Worker | undefined;

  constructor(file: URL) {
    this.#file = file;
  }

  /**
   * Asks the thread; ask one question after the other. Rejects with the signal's reason when it is aborted: the thread
   * ends, and the next question starts another one. Rejects with what the thread throws, too.
   */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= startWorker(this.#file));
    const stop = new AbortController();
    try {
      worker.postMessage(question, []);
      // `once` also rejects with what the thread throws.
      const [answer] = (await Promise.race([
        once(worker, 'message', { signal: AbortSignal.any([signal, stop.signal]) }),
        exited(worker, stop.signal),
      ])) as [Answer];
      return answer;
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

/** No environment: code of others runs there. The limit bounds what hostile input can make it use. */
const startWorker = (file: URL): Worker => {
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // The caller gets the error from elsewhere. Without a listener, an error that comes when nobody waits would
  // end the process.
  return worker.on('error', () => undefined);
};

const exited = async (worker: Worker, signal: AbortSignal): Promise<never> => {
  const [code] = (await once(worker, 'exit', { signal })) as [number];
  throw new Error(`the thread ended unexpectedly (${code})`);
};
