import { QUOTE, BACKSLASH, SPACE } from '../../base/text/ascii.ts';
import { invalidContentError } from './write-errors.ts';

const LETTER_U = 0x75;

/** Escapes of one letter and their bytes (RFC 8259, section 7). */
const SHORT_ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);

/** Number of bytes of room for a character of which only the end of its escapes is in this chunk. */
const HELD_BACK_BYTES = 4;

/** The part of the string that one chunk of JSON adds. */
export interface DecodedPiece {
  readonly bytes: Uint8Array;
  /** Index of the closing quote. Undefined when the string continues in the next chunk. */
  readonly closedAt: number | undefined;
}

/**
 * Decodes the inside of one JSON string from UTF-8 to UTF-8, in whatever chunks it comes. Bytes beyond ASCII pass as
 * they are: the store checks whether they are UTF-8. Lone surrogates, unknown escapes and control characters are
 * refused, never mended (docs/write-sessions.md).
 */
export class JsonStringDecoder {
  #isAfterBackslash = false;
  /** Number of digits that a `\u` still needs. */
  #digitsLeft = 0;
  /** Value of the digits of a `\u` so far. */
  #unit = 0;
  /** First half of a surrogate pair whose second half must follow. 0 if there is none. */
  #highSurrogate = 0;
  #output: Buffer = Buffer.alloc(0);
  #length = 0;

  /** Decodes `chunk` from the index `start` on. Throws ApiError `validation_failed`. */
  decode(chunk: Uint8Array, start: number): DecodedPiece {
    // An escape is never shorter than the bytes that it stands for.
    this.#output = Buffer.allocUnsafe(chunk.length - start + HELD_BACK_BYTES);
    this.#length = 0;
    let index = start;
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] as number;
      if (this.#digitsLeft > 0) this.#takeDigit(byte);
      else if (this.#isAfterBackslash) this.#takeEscape(byte);
      else if (byte === BACKSLASH) this.#isAfterBackslash = true;
      else if (this.#highSurrogate !== 0) throw loneSurrogateError(this.#highSurrogate);
      else if (byte === QUOTE) break;
      else if (byte < SPACE) throw controlCharacterError(byte);
      else this.#output[this.#length++] = byte;
    }
    const closedAt = index < chunk.length ? index : undefined;
    return { bytes: this.#output.subarray(0, this.#length), closedAt };
  }

  #takeEscape(byte: number): void {
    this.#isAfterBackslash = false;
    if (byte === LETTER_U) {
      this.#digitsLeft = 4;
      this.#unit = 0;
      return;
    }
    const code = SHORT_ESCAPES.get(byte);
    if (code === undefined) throw invalidContentError(`the escape \\${String.fromCharCode(byte)}`);
    this.#put(code);
  }

  #takeDigit(byte: number): void {
    const digit = hexDigit(byte);
    if (digit === undefined) throw invalidContentError('an escape \\u without four hexadecimal digits');
    this.#unit = this.#unit * 16 + digit;
    this.#digitsLeft -= 1;
    if (this.#digitsLeft === 0) this.#put(this.#unit);
  }

  /** Takes one UTF-16 code unit of an escape. */
  #put(unit: number): void {
    if (this.#highSurrogate !== 0 && !isLowSurrogate(unit)) throw loneSurrogateError(this.#highSurrogate);
    if (this.#highSurrogate === 0 && isLowSurrogate(unit)) throw loneSurrogateError(unit);
    if (isHighSurrogate(unit)) this.#highSurrogate = unit;
    else if (unit < 0x80) this.#output[this.#length++] = unit;
    else this.#length += this.#output.write(this.#character(unit), this.#length);
  }

  #character(unit: number): string {
    const high = this.#highSurrogate;
    this.#highSurrogate = 0;
    return high === 0 ? String.fromCharCode(unit) : String.fromCharCode(high, unit);
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const hexDigit = (byte: number): number | undefined => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | SPACE;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
};

const controlCharacterError = (byte: number) =>
  invalidContentError(`a control character (${hex(byte, 2)}) in a JSON string`);

const loneSurrogateError = (unit: number) => invalidContentError(`a lone surrogate (\\u${hex(unit, 4)})`);

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
