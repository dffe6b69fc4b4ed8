import { LF, QUOTE, COMMA, COLON, BACKSLASH } from '../../base/text/ascii.ts';
import { MIB } from '../../contracts/values/units.ts';

/**
 * Largest message of a server, in bytes. A larger one is cut off before it can fill the worker's memory. Parsing a
 * message of this size holds the event loop for at most 0.1 s.
 */
export const MAX_MESSAGE_BYTES = 2 * MIB;
/**
 * Largest number of keys in a message. Each new key costs the engine and the client library far more than its bytes.
 */
export const MAX_MESSAGE_KEYS = 20_000;
/**
 * Largest number of keys and items in a message of the handshake, where the library describes every problem of each of
 * them.
 */
const MAX_HANDSHAKE_VALUES = 2_000;

/** Measures JSON as its bytes come in, so that a message that is too much for the event loop is never parsed. */
export class MessageMeter {
  #bytes = 0;
  #keys = 0;
  #values = 0;
  #isInText = false;
  #isEscaped = false;
  readonly #isHandshake: () => boolean;

  /** Begins with an empty message. `isHandshake` tells whether the handshake still runs. */
  constructor(isHandshake: () => boolean) {
    this.#isHandshake = isHandshake;
  }

  /** Counts one byte of the message. It is cheap, and never throws; `check` compares with the limits. */
  count(byte: number): void {
    this.#bytes += 1;
    // No text in JSON contains a line break. So whatever confuses the meter, such as a quote in a comment between
    // events, has no effect beyond its line.
    if (byte === LF) this.#isInText = this.#isEscaped = false;
    else if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === QUOTE) this.#isInText = !this.#isInText;
    else if (this.#isInText) this.#isEscaped = byte === BACKSLASH;
    else if (byte === COLON) this.#keys += 1;
    else if (byte === COMMA) this.#values += 1;
  }

  /**
   * Throws an Error that names the limit if the message exceeds one. Call this at the end of each message, and from
   * time to time before that.
   */
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

  /** Ends the current message, so that the next bytes belong to another one. Throws as `check` does. */
  endMessage(): void {
    this.check();
    this.#bytes = 0;
    this.#keys = 0;
    this.#values = 0;
  }
}
