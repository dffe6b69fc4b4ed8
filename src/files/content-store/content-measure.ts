import { createHash } from 'node:crypto';
import type { ContentRef } from '../../contracts/write-session.ts';
import { Utf8Check } from './utf8-check.ts';

/** Why content is not taken. */
export type ContentRefusal =
  | { readonly kind: 'too_large' }
  | { readonly kind: 'invalid_text'; readonly reason: string }
  | { readonly kind: 'blank' };

const LINE_FEED = 0x0a;

/**
 * Judges content while it streams: hash, size, lines, and whether it is UTF-8 text. Text is refused or kept as
 * it is, never mended: byte order marks, CR, NUL and a missing final line break count as content.
 */
export class ContentMeasure {
  readonly #maxBytes: number;
  readonly #hash = createHash('sha256');
  readonly #utf8 = new Utf8Check();
  /** Reads the white space at the begin, and no further. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #bytes = 0;
  #lineFeeds = 0;
  #lastByte: number | undefined;
  #blank = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes; a refusal is final. */
  add(chunk: Uint8Array): ContentRefusal | undefined {
    const start = this.#bytes;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#maxBytes) return { kind: 'too_large' };
    this.#hash.update(chunk);
    this.#lineFeeds += countLineFeeds(chunk);
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
    if (!this.#utf8.add(chunk)) return notUtf8(`between byte ${start} and byte ${this.#bytes}`);
    this.#blank &&= !/\S/.test(this.#decoder.decode(chunk, { stream: true }));
    return undefined;
  }

  /** After the last byte. */
  end(): ContentRefusal | { readonly kind: 'measured'; readonly content: ContentRef } {
    if (!this.#utf8.end()) return notUtf8('at its end');
    if (this.#blank) return { kind: 'blank' };
    const lines = this.#lineFeeds + (this.#lastByte === LINE_FEED ? 0 : 1);
    return { kind: 'measured', content: { sha256: this.#hash.digest('hex'), bytes: this.#bytes, lines } };
  }
}

const notUtf8 = (where: string): ContentRefusal => ({
  kind: 'invalid_text',
  reason: `content: expected UTF-8 text, received other bytes ${where}`,
});

const countLineFeeds = (chunk: Uint8Array): number => {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
};
