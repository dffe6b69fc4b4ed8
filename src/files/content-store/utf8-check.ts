import { isUtf8 } from 'node:buffer';

/**
 * Judges bytes that come in chunks: are they UTF-8? Makes no text of them, which would cost 40 ms and 20 MB of
 * garbage for 10 MB.
 */
export class Utf8Check {
  /** Begin of a character that the chunk before did not end. */
  #rest: Uint8Array = new Uint8Array();

  /** False: not UTF-8, whatever follows. */
  add(chunk: Uint8Array): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = endOfCharacters(bytes);
    // A copy: a view would keep the whole chunk, and what a Buffer's `slice` gives is one.
    this.#rest = Uint8Array.from(bytes.subarray(end));
    return isUtf8(bytes.subarray(0, end));
  }

  /** After the last chunk: false when the last character is cut. */
  end(): boolean {
    return this.#rest.length === 0;
  }
}

/** Where a character of several bytes begins that ends behind the chunk; else the chunk's end. */
const endOfCharacters = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
    if (byte < 0x80) return bytes.length;
  }
  return bytes.length;
};

/** Bytes of the character that begins with `lead` (RFC 3629, section 3). */
const lengthOf = (lead: number): number => {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
};
