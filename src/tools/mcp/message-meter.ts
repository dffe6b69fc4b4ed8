import { LF, QUOTE, COMMA, COLON, BACKSLASH } from '../../base/text/ascii.ts';

/**
 * Bytes of a server's largest message: beyond it the connection is closed, before it can fill the worker's memory.
 * Parsing one of this size holds the event loop for at most 0.1 s.
 */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Keys in a message: each new one costs the engine and the client library far more than its bytes. */
export const MAX_MESSAGE_KEYS = 20_000;
/** Keys and items in a message of the handshake: the library describes every problem of each of them. */
const MAX_HANDSHAKE_VALUES = 2_000;

/** Measures JSON as its bytes come in, so that a message that is too much for the event loop is never parsed. */
export class MessageMeter {
  #bytes = 0;
  #keys = 0;
  #values = 0;
  #isInText = false;
  #isEscaped = false;
  readonly #isHandshake: () => boolean;

  /** `isHandshake` tells whether the handshake still runs. */
  constructor(isHandshake: () => boolean) {
    this.#isHandshake = isHandshake;
  }

  count(byte: number): void {
    this.#bytes += 1;
    // No JSON text goes over the end of a line, so what confuses the meter, such as a comment of an event, ends there,
    // too.
    if (byte === LF) this.#isInText = this.#isEscaped = false;
    else if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === QUOTE) this.#isInText = !this.#isInText;
    else if (this.#isInText) this.#isEscaped = byte === BACKSLASH;
    else if (byte === COLON) this.#keys += 1;
    else if (byte === COMMA) this.#values += 1;
  }

  /** Throws an Error that says what the message has too much of. Call it at the end of each, and from time to time. */
  check(): void {
    if (this.#bytes > MAX_MESSAGE_BYTES) {
      throw new Error(`an answer of the server was larger than ${MAX_MESSAGE_BYTES} bytes`);
    }
    if (this.#keys > MAX_MESSAGE_KEYS) {
      throw new Error(`an answer of the server had more than ${MAX_MESSAGE_KEYS} names of fields`);
    }
    if (this.#isHandshake() && this.#keys + this.#values > MAX_HANDSHAKE_VALUES) {
      throw new Error(`the server's greeting had more than ${MAX_HANDSHAKE_VALUES} values`);
    }
  }

  /** Ends the present message: the next bytes belong to another one. Throws as `check` does. */
  endMessage(): void {
    this.check();
    this.#bytes = 0;
    this.#keys = 0;
    this.#values = 0;
  }
}
