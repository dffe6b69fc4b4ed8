import { EventEmitter, once } from 'node:events';

/** Gates with names at which responses wait until a test opens them; an open gate stays open. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #opened = new EventEmitter().setMaxListeners(0);

  /** Waits until the gate is open; throws when the client leaves first. */
  async pass(name: string, left: AbortSignal): Promise<void> {
    while (!this.#open.has(name)) await once(this.#opened, 'opened', { signal: left });
  }

  release(name: string): void {
    this.#open.add(name);
    this.#opened.emit('opened');
  }

  clear(): void {
    this.#open.clear();
  }
}
