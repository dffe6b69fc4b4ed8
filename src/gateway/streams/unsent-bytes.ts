import { MIB } from '../../contracts/values/units.ts';

/**
 * Limit of the bytes that wait in all streams of one client together, for each kind of stream. Beyond it, a stream gets
 * its next frame only when little waits in it (`SseStream`).
 */
const MAX_BYTES_OF_CLIENT = 16 * MIB;

/** The account of one stream: the bytes that wait for its client. */
export interface UnsentBytes {
  /** Adds bytes that wait. A negative number takes off bytes that have been sent. */
  add(bytes: number): void;
  /** True when at least `MAX_BYTES_OF_CLIENT` wait for the client in its streams of this kind together. */
  readonly isFull: boolean;
  /** Closes the account. Bytes that still wait no longer count. */
  close(): void;
}

/**
 * Counts, for each client, the bytes that were encoded for its streams and not sent yet, because many slow viewers must
 * not fill the memory.
 */
export class UnsentBytesByClient {
  readonly #byClient = new Map<string, number>();

  /** Opens the account of one stream of a client. */
  open(client: string): UnsentBytes {
    const clients = this.#byClient;
    let ownBytes = 0;
    const add = (bytes: number): void => {
      ownBytes += bytes;
      const clientBytes = (clients.get(client) ?? 0) + bytes;
      if (clientBytes > 0) clients.set(client, clientBytes);
      else clients.delete(client);
    };
    return {
      add,
      get isFull() {
        return (clients.get(client) ?? 0) >= MAX_BYTES_OF_CLIENT;
      },
      close: () => add(-ownBytes),
    };
  }
}
