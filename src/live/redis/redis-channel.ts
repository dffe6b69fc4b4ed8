import type { RedisCommands } from './redis-client.ts';

/** The listener of a Redis channel. Its methods must not throw. */
export interface ChannelListener {
  /** Takes a message of the channel. */
  onMessage(text: string): void;
  /** Called once for each connection, as soon as no later message of the channel can be missed. */
  onSubscribed(): void;
}

/** One channel and its listeners, over all connections of a process. */
export class RedisChannel {
  readonly #name: string;
  readonly #onRefused: (error: unknown) => void;
  readonly #listeners = new Set<ChannelListener>();
  /** The library ends a subscription only if it is given the same function again, so there is one for all listeners. */
  readonly #dispatch = (text: string): void => {
    for (const listener of this.#listeners) listener.onMessage(text);
  };
  #subscribedOn: RedisCommands | undefined;

  /** `onRefused` is called with the error when the server refuses to subscribe. */
  constructor(name: string, onRefused: (error: unknown) => void) {
    this.#name = name;
    this.#onRefused = onRefused;
  }

  /**
   * Adds a listener. `commands` is the present connection, undefined if there is none. Without one, the listener is
   * subscribed by the next call of `subscribe`.
   */
  add(listener: ChannelListener, commands: RedisCommands | undefined): void {
    this.#listeners.add(listener);
    if (commands === undefined) return;
    if (this.#listeners.size === 1) this.subscribe(commands);
    else if (this.#subscribedOn === commands) listener.onSubscribed();
  }

  /** Removes a listener. Returns true if it was the last listener. */
  remove(listener: ChannelListener, commands: RedisCommands | undefined): boolean {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return false;
    // If this fails, the subscription ends with the connection. Until then its messages reach no listener.
    commands?.unsubscribe(this.#name, this.#dispatch).catch(() => undefined);
    return true;
  }

  /** Subscribes on a new connection, and notifies the listeners once that is done. */
  subscribe(commands: RedisCommands): void {
    commands
      .subscribe(this.#name, this.#dispatch)
      .then(() => this.#noteSubscribed(commands), this.#onRefused);
  }

  #noteSubscribed(commands: RedisCommands): void {
    this.#subscribedOn = commands;
    for (const listener of this.#listeners) listener.onSubscribed();
  }
}
