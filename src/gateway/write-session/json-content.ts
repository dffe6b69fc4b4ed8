import { QUOTE, BACKSLASH, COLON, COMMA, OPENING_BRACKETS, CLOSING_BRACKETS } from '../../base/text/ascii.ts';
import { invalidBodyError, bodyTooLargeError } from './write-errors.ts';
import { JsonStringDecoder } from './json-string-decoder.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Largest size in bytes of a finalize body without its content. An honest one has about 80. */
const MAX_FIELD_BYTES = 64 * KIB;

/**
 * Parses a JSON object as it comes in, without holding the string in its field `content`, which is decoded piece by
 * piece.
 *
 * Everything else may have 64 KiB. It is kept, with `""` in place of the content, and `JSON.parse` parses it at the
 * end. Only one string has been exchanged for another, so this also tells whether the whole body is JSON. This class
 * therefore only has to know where strings, fields and objects begin and end.
 *
 * A parser of tokens would make an object of every escape, which costs too much time and memory
 * (docs/decisions/json-content-by-hand.md).
 */
export class JsonContent {
  readonly #bytes = Buffer.allocUnsafe(MAX_FIELD_BYTES);
  #length = 0;
  #depth = 0;
  /** Index in `#bytes` of the quote that opened the current string. Undefined outside of strings. */
  #stringStart: number | undefined;
  #isEscaped = false;
  /** Name of the current field of the outermost object. */
  #field = '';
  #isInValue = false;
  #decoder: JsonStringDecoder | undefined;
  #hasContent = false;

  /** Yields the decoded content in this piece of the body. Throws ApiError. */
  *take(chunk: Uint8Array): Generator<Uint8Array> {
    let index = 0;
    while (index < chunk.length) {
      if (this.#decoder === undefined) {
        this.#keep(chunk[index] as number);
        index += 1;
        continue;
      }
      const { bytes, closedAt } = this.#decoder.decode(chunk, index);
      if (bytes.length > 0) yield bytes;
      if (closedAt === undefined) return;
      this.#decoder = undefined;
      index = closedAt;
    }
  }

  /**
   * Returns the fields before the content. Call it while the content is being taken: what is kept then ends with the
   * opening quote of the content. Throws ApiError.
   */
  fieldsBefore(): unknown {
    return this.#parse('"}');
  }

  /** Returns all fields, the content as `""`, once the body has been taken to its end. Throws ApiError. */
  fields(): unknown {
    if (this.#decoder !== undefined) {
      throw invalidBodyError('a JSON object', 'text that ends within the content');
    }
    return this.#parse('');
  }

  #parse(end: string): unknown {
    try {
      return JSON.parse(decodeUtf8(this.#bytes.subarray(0, this.#length)) + end);
    } catch {
      throw invalidBodyError('a JSON object', this.#length === 0 ? 'nothing' : 'text that is not JSON');
    }
  }

  #keep(byte: number): void {
    if (this.#length === MAX_FIELD_BYTES) throw bodyTooLargeError(MAX_FIELD_BYTES);
    this.#bytes[this.#length] = byte;
    if (this.#stringStart === undefined) this.#followStructure(byte);
    else this.#followString(byte, this.#stringStart);
    this.#length += 1;
  }

  #followStructure(byte: number): void {
    if (byte === QUOTE) this.#openString();
    else if (OPENING_BRACKETS.has(byte)) this.#depth += 1;
    else if (CLOSING_BRACKETS.has(byte)) this.#depth -= 1;
    else if (this.#depth === 1 && byte === COLON) this.#isInValue = true;
    else if (this.#depth === 1 && byte === COMMA) this.#isInValue = false;
  }

  #openString(): void {
    this.#stringStart = this.#length;
    if (this.#depth !== 1 || !this.#isInValue || this.#field !== 'content') return;
    if (this.#hasContent) throw invalidBodyError('one field "content"', 'two of them');
    this.#hasContent = true;
    this.#decoder = new JsonStringDecoder();
  }

  #followString(byte: number, start: number): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      if (this.#depth === 1 && !this.#isInValue) this.#field = readName(this.#bytes, start, this.#length + 1);
      this.#stringStart = undefined;
    }
  }
}

/**
 * Returns the name of a field, which JSON may write with escapes. A name that is no JSON string makes the whole body
 * invalid, which `fields` finds out.
 */
const readName = (bytes: Buffer, start: number, end: number): string => {
  try {
    return String(JSON.parse(bytes.toString('utf8', start, end)));
  } catch {
    return '';
  }
};

/** Decodes UTF-8 without its byte order mark (RFC 8259, section 8.1). Throws on anything that is not UTF-8. */
const decodeUtf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
