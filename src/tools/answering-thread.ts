import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * A thread for work on what others wrote, which may take long or never end: started when it is first asked, ended in
 * the middle of its work when time is up. Its file answers each message with one of its own.
 */
export class AnsweringThread<Question, Answer> {
  readonly #file: URL;
  #worker: Worker | undefined;

  constructor(file: URL) {
    this.#file = file;
  }

  /**
   * Asked one thing after the other. Rejects with the signal's reason when it is aborted: the thread ends, and the
   * next question starts another one. Rejects with what the thread throws, too.
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

/** No environment: what runs there is code of others. The limit bounds what hostile input can make it take. */
const startWorker = (file: URL): Worker => {
  const worker = new Worker(file, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // Whoever waits is told; without a listener an error that comes when nobody does would end the process.
  return worker.on('error', () => undefined);
};

const exited = async (worker: Worker, signal: AbortSignal): Promise<never> => {
  const [code] = (await once(worker, 'exit', { signal })) as [number];
  throw new Error(`the thread ended unexpectedly (${code})`);
};
