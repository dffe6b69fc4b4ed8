import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Definition, DefinitionRequest } from './definition.ts';

const THREAD_FILE = new URL('./definition-worker.ts', import.meta.url);

/** The parsing thread of one tool call, started when it is first asked. */
export class DefinitionThread {
  #worker: Worker | undefined;

  /**
   * Finds the definitions of one file. Asked one file after the other. Rejects with the signal's reason when it is
   * aborted: the thread ends in the middle of its work, and the next request starts another one.
   */
  async find(request: DefinitionRequest, signal: AbortSignal): Promise<readonly Definition[]> {
    signal.throwIfAborted();
    const worker = (this.#worker ??= startWorker());
    const stop = new AbortController();
    try {
      worker.postMessage(request, []);
      // `once` also rejects with what the thread throws.
      const [definitions] = (await Promise.race([
        once(worker, 'message', { signal: AbortSignal.any([signal, stop.signal]) }),
        exited(worker, stop.signal),
      ])) as [readonly Definition[]];
      return definitions;
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

/** No environment: the grammars are code of others. The limit bounds what a hostile file can make them take. */
const startWorker = (): Worker => {
  const worker = new Worker(THREAD_FILE, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // Whoever waits is told; without a listener an error that comes when nobody does would end the process.
  return worker.on('error', () => undefined);
};

const exited = async (worker: Worker, signal: AbortSignal): Promise<never> => {
  const [code] = (await once(worker, 'exit', { signal })) as [number];
  throw new Error(`the parsing thread ended unexpectedly (${code})`);
};
