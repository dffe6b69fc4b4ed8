import { setTimeout as delay } from 'node:timers/promises';
import { MIB } from '../../contracts/values/units.ts';

/** Numbers of messages and of their bytes that are read from a stream before it pauses. */
const MESSAGES_AT_ONCE = 50;
const BYTES_AT_ONCE = MIB;
/** Time in milliseconds for each such portion, over all streams of a server. */
const PAUSE_MS = 50;

/** Resolves when the next portion of a server's messages may be read. Rejects once `signal` is aborted. */
export type ReadingThrottle = (signal?: AbortSignal) => Promise<void>;

/**
 * Limits all streams of a server together to about 1,000 messages and 20 MiB a second. The SDK reads one message after
 * the other, and a server that sends small ones without end would keep the worker busy with nothing else.
 */
export const createReadingThrottle = (): ReadingThrottle => {
  let free = 0;
  return (signal) => {
    const now = performance.now();
    free = Math.max(now, free) + PAUSE_MS;
    return delay(free - now, undefined, signal && { signal });
  };
};

/** Counts the messages and bytes of a stream that were read since its last pause. */
export class ReadSincePause {
  #messages = 0;
  #bytes = 0;

  /** True when as much was read as may be read before the next pause. */
  get isFull(): boolean {
    return this.#messages >= MESSAGES_AT_ONCE || this.#bytes >= BYTES_AT_ONCE;
  }

  /** Counts a byte that was read, whether or not its message has ended. */
  addByte(): void {
    this.#bytes += 1;
  }

  /** Counts a message whose end was read. */
  addMessage(): void {
    this.#messages += 1;
  }

  /** Begins to count anew, after a pause. */
  reset(): void {
    this.#messages = 0;
    this.#bytes = 0;
  }
}
