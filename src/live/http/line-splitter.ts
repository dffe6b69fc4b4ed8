import { LF } from '../../base/text/ascii.ts';

/**
 * Cuts a byte stream into UTF-8 lines, however the bytes arrive. A line may have at most `maxBytes` without its
 * newline.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Parts of the line that is not complete yet; joined once, so that a long line costs no repeated copying. */
  #parts: Buffer[] = [];
  #partBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Calls `onLine` for each line that `chunk` completes, without its newline. Returns false if a line is too long.
   * Nothing more can be read then.
   */
  feed(chunk: Buffer, onLine: (line: string) => void): boolean {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (!this.#keep(chunk.subarray(start, end))) return false;
      onLine(this.#takeLine());
      start = end + 1;
    }
    return start === chunk.length || this.#keep(chunk.subarray(start));
  }

  /** Adds to the line that is being read. Returns false if the line is too long then. */
  #keep(part: Buffer): boolean {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#maxBytes) return false;
    this.#parts.push(part);
    return true;
  }

  #takeLine(): string {
    const [first] = this.#parts;
    const bytes = first !== undefined && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    return bytes.toString('utf8');
  }
}
