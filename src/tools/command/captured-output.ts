import { stripVTControlCharacters } from 'node:util';
import { endWithinJsonBytes, truncateToJsonBytes } from '../../base/json/json-text.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Number of bytes that are kept of the beginning of an output, and as many of its end. The trace stores both. */
const KEPT_BYTES = 120 * KIB;
/**
 * Largest sizes, in bytes as JSON, of the beginning and of the end that the model is shown. They leave room for the
 * other fields of the result.
 */
const SHOWN_HEAD_BYTES = 10 * KIB;
const SHOWN_TAIL_BYTES = 18 * KIB;

/** Keeps head and tail of a command's output, whatever its length. */
export class CapturedOutput {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  readonly #tail: Buffer[] = [];
  #tailBytes = 0;
  #leftOut = 0;

  /** Adds the next bytes of the output. Both outputs of the command share one head and one tail. */
  add(bytes: Buffer): void {
    const room = KEPT_BYTES - this.#headBytes;
    const first = bytes.subarray(0, room);
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    if (bytes.length > first.length) this.#addToTail(bytes.subarray(room));
  }

  /** The text that is kept for the trace. */
  get kept(): string {
    return this.#leftOut === 0 ? this.#wholeText : withGap(this.#headText, this.#tailText, this.#leftOut);
  }

  /** The text for the model, small enough to be shown whole. */
  get shown(): string {
    const isWhole = this.#leftOut === 0;
    const head = isWhole ? this.#wholeText : this.#headText;
    const tail = isWhole ? head : this.#tailText;
    if (isWhole && truncateToJsonBytes(head, SHOWN_HEAD_BYTES + SHOWN_TAIL_BYTES) === head) return head;
    const first = truncateToJsonBytes(head, SHOWN_HEAD_BYTES);
    const last = endWithinJsonBytes(tail, SHOWN_TAIL_BYTES);
    const keptBytes = Buffer.byteLength(head) + (isWhole ? 0 : Buffer.byteLength(tail));
    const shownBytes = Buffer.byteLength(first) + Buffer.byteLength(last);
    return withGap(first, last, this.#leftOut + keptBytes - shownBytes);
  }

  #addToTail(bytes: Buffer): void {
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    while (this.#tailBytes > KEPT_BYTES) {
      const [oldest = bytes] = this.#tail;
      const over = Math.min(this.#tailBytes - KEPT_BYTES, oldest.length);
      if (over === oldest.length) this.#tail.shift();
      else this.#tail[0] = oldest.subarray(over);
      this.#tailBytes -= over;
      this.#leftOut += over;
    }
  }

  /**
   * The whole output, if nothing is left out. It is decoded in one piece, because a character may begin in the head and
   * end in the tail.
   */
  get #wholeText(): string {
    return plainText(new TextDecoder().decode(Buffer.concat([...this.#head, ...this.#tail])));
  }

  get #headText(): string {
    // An unfinished character at the end is left out.
    return plainText(new TextDecoder().decode(Buffer.concat(this.#head), { stream: true }));
  }

  get #tailText(): string {
    const bytes = Buffer.concat(this.#tail);
    // The first bytes may be the rest of a character whose beginning is not in the tail.
    const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return plainText(bytes.toString('utf8', Math.max(start, 0)));
  }
}

const withGap = (head: string, tail: string, leftOut: number): string =>
  `${head}\n… ${leftOut} bytes left out …\n${tail}`;

/** Matches control characters: C0 except line feed and tab, DEL, and C1. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Removes the characters that a terminal would obey. A CR becomes a line break, so that an overwritten line is shown as
 * a line of its own.
 */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text.replaceAll(/\r\n?/g, '\n')).replaceAll(CONTROLS, '');
