import type { SupervisedService } from './children/service.ts';

/**
 * The parts of a stack that were started, and the order in which they end: first gateway and workers, then the servers
 * that these use, then what is left to close.
 */
export class StartedParts {
  readonly #stopping = new AbortController();
  /** Gateway and workers, which use the servers and are stopped before them. */
  readonly #clients: SupervisedService[] = [];
  readonly #servers: SupervisedService[] = [];
  /** Functions that run in this order once no child is left. */
  readonly #closing: (() => Promise<void> | void)[] = [];
  /** The starts that were begun before `stop` was called. Each settles soon after that. */
  readonly #starts: Promise<unknown>[] = [];

  /** Aborted when `stop` is called. */
  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Begins a start, for which `stop` then waits. Rejects once `stop` was called, which waits for no later start. */
  track<T>(begin: () => Promise<T>): Promise<T> {
    if (this.stopSignal.aborted) return Promise.reject(this.stopSignal.reason);
    const start = begin();
    this.#starts.push(start);
    return start;
  }

  /** Starts a server. Rejects when it does not start, or once `stop` was called. */
  startServer(service: SupervisedService): Promise<void> {
    return this.#begin(service, this.#servers);
  }

  /** Starts a gateway or worker. Rejects when it does not start, or once `stop` was called. */
  startClient(service: SupervisedService): Promise<void> {
    return this.#begin(service, this.#clients);
  }

  /** Adds functions that `stop` calls once no child is left, in this order. */
  closeAtEnd(...closing: readonly (() => Promise<void> | void)[]): void {
    this.#closing.push(...closing);
  }

  /** Ends all parts in their order, also those that are just being started. Resolves when none is left. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('stopped'));
    // Workers and gateways are stopped first, because what they hand over at the end goes to servers that are still
    // there.
    for (const services of [this.#clients, this.#servers]) {
      await Promise.all(services.map((service) => service.stop()));
    }
    // A part that is just being started is stopped by its own service, but the program that makes the database ends by
    // itself. The next start must not begin before all of them have ended.
    await Promise.allSettled(this.#starts);
    for (const close of this.#closing.splice(0)) await close();
  }

  async #begin(service: SupervisedService, services: SupervisedService[]): Promise<void> {
    this.stopSignal.throwIfAborted();
    // It is listed before it starts, so that `stop` also ends it while it starts.
    services.push(service);
    await service.start();
  }
}
