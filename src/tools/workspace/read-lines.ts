import { StringDecoder } from 'node:string_decoder';
import { truncationMarker } from '../../base/json/json-limit.ts';
import { truncateToJsonBytes } from '../../base/json/json-text.ts';
import { LF } from '../../base/text/ascii.ts';
import { isBinary } from '../../base/text/is-binary.ts';
import { withLineNumbers, withoutLineNumbers } from '../../base/text/line-numbers.ts';
import type { OpenFile } from '../../files/workspace/open-file.ts';
import { KIB, MIB } from '../../contracts/values/units.ts';

/** Largest content for the model, in bytes as JSON. The other fields of the result need room, too. */
const MAX_READ_BYTES = 28 * KIB;
/** Size in bytes above which a file is read no further than needed, so that its number of lines may stay unknown. */
const COUNTED_FILE_BYTES = 8 * MIB;
const BLOCK_BYTES = 64 * KIB;

/** The lines of a file to read, counted from 1. */
export interface LineRange {
  /** First line to read, counted from 1. */
  readonly first: number;
  /** Last line, inclusive. Undefined means to the end. */
  readonly last: number | undefined;
  readonly signal: AbortSignal;
}

/** Lines of a file, or why there are none. */
export type ReadLines =
  | {
      readonly kind: 'lines';
      /** Each line with its number and a tab before it. */
      readonly content: string;
      readonly start_line: number;
      /** Last line of which something is shown. */
      readonly end_line: number;
      /** Number of lines of the whole file. Absent for a large file that was not read to its end. */
      readonly total_lines?: number;
      /**
       * Number of the line to read on from. Absent when everything requested is shown, or when the cut is inside a
       * line.
       */
      readonly next_line?: number;
    }
  | { readonly kind: 'binary' }
  /** The file has fewer lines than `first`. */
  | { readonly kind: 'beyond'; readonly totalLines: number };

/**
 * Reads a range of lines block by block, so that little more of the file is in memory than is shown. Lines are
 * numbered, and line breaks are unchanged; bytes that are not UTF-8 become U+FFFD. Rejects with the signal's reason or
 * the file system's error.
 */
export const readLines = async (file: OpenFile, range: LineRange): Promise<ReadLines> => {
  const scan = new LineScan(range, file.stats.size);
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  for (let position = 0; scan.wantsMore;) {
    range.signal.throwIfAborted();
    const { bytesRead } = await file.handle.read(block, 0, BLOCK_BYTES, position);
    if (bytesRead === 0) {
      scan.isAtEnd = true;
      break;
    }
    const bytes = block.subarray(0, bytesRead);
    if (position === 0 && isBinary(bytes)) return { kind: 'binary' };
    scan.feed(bytes);
    position += bytesRead;
  }
  return scan.result();
};

/** Counts lines and keeps the wanted ones as far as they can be shown. */
class LineScan {
  /** True when the file's end has been seen. */
  isAtEnd = false;
  readonly #range: LineRange;
  readonly #countsAllLines: boolean;
  readonly #fileSize: number;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  /** Number of line breaks seen. */
  #newlines = 0;
  #rangeBytes = 0;
  /** Number of bytes before the first wanted line. */
  #rangeStart = 0;
  #endsInsideLine = false;

  constructor(range: LineRange, fileSize: number) {
    this.#range = range;
    this.#fileSize = fileSize;
    this.#countsAllLines = fileSize <= COUNTED_FILE_BYTES;
  }

  /**
   * True while another block is needed: to count the lines of a small file, to reach the last wanted line of a large
   * one, or, without a last line, until the content is full.
   */
  get wantsMore(): boolean {
    if (this.#countsAllLines) return true;
    const { last } = this.#range;
    return last === undefined ? !this.#isFull : this.#newlines < last;
  }

  /** True when there is more text than can be shown: every UTF-16 unit takes at least one byte. */
  get #isFull(): boolean {
    return this.#text.length > MAX_READ_BYTES;
  }

  feed(bytes: Buffer): void {
    const { first, last } = this.#range;
    const start = this.#skipTo(first, bytes, 0);
    const end = this.#skipTo(last === undefined ? Number.POSITIVE_INFINITY : last + 1, bytes, start);
    this.#rangeStart += start;
    this.#rangeBytes += end - start;
    if (!this.#isFull) this.#text += this.#decoder.write(bytes.subarray(start, end));
    this.#skipTo(Number.POSITIVE_INFINITY, bytes, end);
    this.#endsInsideLine = bytes.at(-1) !== LF;
  }

  /**
   * Counts the line breaks before `line`, beginning at the offset `from`. Returns the offset at which `line` begins:
   * `from` if it began earlier, the length of `bytes` if it begins later.
   */
  #skipTo(line: number, bytes: Buffer, from: number): number {
    let offset = from;
    for (; offset < bytes.length && this.#newlines + 1 < line; offset += 1) {
      if (bytes[offset] === LF) this.#newlines += 1;
    }
    return offset;
  }

  result(): ReadLines {
    const { first } = this.#range;
    const totalLines = this.#newlines + (this.#endsInsideLine ? 1 : 0);
    if (this.isAtEnd && first > Math.max(totalLines, 1)) return { kind: 'beyond', totalLines };
    const total = this.isAtEnd ? { total_lines: totalLines } : {};
    const text = this.#isFull ? this.#text.slice(0, MAX_READ_BYTES + 1) : this.#text + this.#decoder.end();
    const content = withLineNumbers(text, first);
    const shownText = truncateToJsonBytes(content, MAX_READ_BYTES);
    if (shownText === content) {
      return { kind: 'lines', content, start_line: first, end_line: lastLine(first, text), ...total };
    }
    return { kind: 'lines', start_line: first, ...this.#cut(shownText), ...total };
  }

  /** Cuts at the end of a line, so that reading on with `next_line` misses nothing; a huge line is cut inside. */
  #cut(shownText: string): { content: string; end_line: number; next_line?: number } {
    const { first, last } = this.#range;
    const whole = shownText.slice(0, shownText.lastIndexOf('\n') + 1);
    const keptText = whole === '' ? shownText : whole;
    const end_line = lastLine(first, keptText);
    // A range without an end reaches to the end of the file, which may not have been read.
    const rangeBytes = last === undefined ? this.#fileSize - this.#rangeStart : this.#rangeBytes;
    const gap = whole === '' ? '\n' : '';
    const ofFile = Buffer.byteLength(withoutLineNumbers(keptText));
    const content = `${keptText}${gap}${truncationMarker(ofFile, rangeBytes)}`;
    return whole === '' ? { content, end_line } : { content, end_line, next_line: end_line + 1 };
  }
}

/**
 * Returns the number of the last line of a text that begins with line `first`; a final line break starts no new line.
 */
const lastLine = (first: number, text: string): number => {
  const breaks = text.split('\n').length - 1;
  return Math.max(first, first + breaks - (text.endsWith('\n') || text === '' ? 1 : 0));
};
