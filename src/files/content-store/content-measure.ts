import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { LF } from '../../base/text/ascii.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';

/** Why content is not taken: too large, no UTF-8 text, or blank. */
export type ContentRefusal =
  | { readonly kind: 'too_large' }
  | { readonly kind: 'invalid_text'; readonly reason: string }
  | { readonly kind: 'blank' };

/**
 * Checks content while it streams: hash, size, lines, and whether it is UTF-8 text. Text is refused or kept as it is,
 * never corrected: byte order marks, CR, NUL and a missing final line break count as content.
 */
export class ContentMeasure {
  readonly #maxBytes: number;
  readonly #hash = createHash('sha256');
  readonly #utf8 = new Utf8Check();
  /** Decodes the content as long as it is blank, to see whether it stays so. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #bytes = 0;
  #lineFeeds = 0;
  #lastByte: number | undefined;
  #isBlank = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes the next bytes. Returns why the content is refused, which is final, or undefined if nothing is wrong so far.
   */
  add(chunk: Uint8Array): ContentRefusal | undefined {
    const start = this.#bytes;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#maxBytes) return { kind: 'too_large' };
    this.#hash.update(chunk);
    this.#lineFeeds += countLineFeeds(chunk);
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
    if (!this.#utf8.add(chunk)) return notUtf8(`between byte ${start} and byte ${this.#bytes}`);
    this.#isBlank &&= !/\S/.test(this.#decoder.decode(chunk, { stream: true }));
    return undefined;
  }

  /** Ends the content: returns its size and hash, or why it is refused. */
  end(): ContentRefusal | { readonly kind: 'measured'; readonly content: ContentRef } {
    if (!this.#utf8.end()) return notUtf8('at its end');
    if (this.#isBlank) return { kind: 'blank' };
    const lines = this.#lineFeeds + (this.#lastByte === LF ? 0 : 1);
    return { kind: 'measured', content: { sha256: this.#hash.digest('hex'), bytes: this.#bytes, lines } };
  }
}

const notUtf8 = (place: string): ContentRefusal => ({
  kind: 'invalid_text',
  reason: `content: expected UTF-8 text, received other bytes ${place}`,
});

const countLineFeeds = (chunk: Uint8Array): number => {
  let count = 0;
  for (let index = chunk.indexOf(LF); index !== -1; index = chunk.indexOf(LF, index + 1)) count += 1;
  return count;
};

/**
 * Checks whether bytes that come in chunks are UTF-8. Makes no text of them, which would cost 40 ms and 20 MB of
 * garbage for 10 MB.
 */
export class Utf8Check {
  /** The beginning of a character that ends in the next chunk. */
  #rest: Uint8Array = new Uint8Array();

  /** Takes a chunk; returns false when the content is not UTF-8, whatever follows. */
  add(chunk: Uint8Array): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = endOfCharacters(bytes);
    // A copy, since `subarray` returns a view: that would keep the whole chunk in memory, and be emptied when
    // `freeBytes` frees the chunk.
    this.#rest = Uint8Array.from(bytes.subarray(end));
    return isUtf8(bytes.subarray(0, end));
  }

  /** Ends the check after the last chunk; returns false when the last character is cut. */
  end(): boolean {
    return this.#rest.length === 0;
  }
}

/**
 * Returns the offset of a character that begins in the chunk and ends after it. Returns the length of the chunk if
 * there is none.
 */
const endOfCharacters = (bytes: Uint8Array): number => {
  // A character has at most 4 bytes, so at most 3 of an unfinished one are here.
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
    if (byte < 0x80) return bytes.length;
  }
  return bytes.length;
};

/** Returns the number of bytes of the character that begins with the byte `first` (RFC 3629, section 3). */
const lengthOf = (first: number): number => {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
};
