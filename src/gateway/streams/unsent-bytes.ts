/**
 * Bytes that may wait for all viewers of one client together; beyond it each is sent the next frame only when it has
 * read the last.
 */
const MAX_BYTES_OF_CLIENT = 16 * 1024 * 1024;

/** The bytes of one stream that wait for its client. */
export interface UnsentBytes {
  /** Adds waiting bytes. A negative number means that these have been sent. */
  add(bytes: number): void;
  /** True when enough waits for the client as a whole. */
  readonly isFull: boolean;
  /** Closes the account of a stream; bytes that still wait are dropped. */
  close(): void;
}

/**
 * Counts by client the bytes that have been encoded for viewers and not been read yet: many slow viewers must not fill
 * the memory.
 */
export class UnsentBytesByClient {
  readonly #byClient = new Map<string, number>();

  open(client: string): UnsentBytes {
    const clients = this.#byClient;
    let own = 0;
    const add = (bytes: number): void => {
      own += bytes;
      const all = (clients.get(client) ?? 0) + bytes;
      if (all > 0) clients.set(client, all);
      else clients.delete(client);
    };
    return {
      add,
      get isFull() {
        return (clients.get(client) ?? 0) >= MAX_BYTES_OF_CLIENT;
      },
      close: () => add(-own),
    };
  }
}
