/** Matches the line that ends a write session's content. It holds nothing else; trailing blanks or CR are allowed. */
const DONE_LINE = /^DONE\s*$/;
/**
 * The longest remark, in characters, that may follow a line `DONE`. If more text follows, that line is content and not
 * the end (docs/write-sessions.md "In a turn").
 */
const MAX_REMARK_CHARACTERS = 300;
/** The places after a line break, as `^` of a multi-line pattern finds them. */
const AFTER_LINE_BREAK = /(?<=[\n\r\u2028\u2029])/;
const ENDS_LINE = /[\n\r\u2028\u2029]$/;

/** The end that a finished text declares. */
export type DoneMark =
  /**
   * The content is the first `contentLength` characters, including the line break before the marker. `remark` is the
   * text after the marker, without surrounding white space.
   */
  | { readonly kind: 'done'; readonly contentLength: number; readonly remark: string }
  | { readonly kind: 'none' };

/**
 * Finds the last line of a text that is only `DONE` (`/^DONE\s*$/m`) and is followed by no more than a remark. The text
 * arrives in pieces, and the verdict does not depend on where they are cut. A line is judged when it is complete, and
 * any later text can still overrule the verdict: only `finish` decides.
 */
export class DoneDetector {
  #line = '';
  #lineStart = 0;
  #markOffset: number | undefined;
  #textAfterMark = '';
  #remarkLength = new TrimmedLength();

  /** Takes the next piece. */
  push(piece: string): void {
    for (const part of piece.split(AFTER_LINE_BREAK)) {
      this.#line += part;
      this.#remarkLength.add(part);
      if (ENDS_LINE.test(part)) this.#endLine();
    }
  }

  /** True when the text is over for now: a complete marker line, followed by no more than a remark. */
  get isDone(): boolean {
    return this.#markOffset !== undefined && this.#remarkLength.value <= MAX_REMARK_CHARACTERS;
  }

  /**
   * Ends the text, and with it the last line. Returns the end that the text declares. Nothing may be pushed afterwards.
   */
  finish(): DoneMark {
    this.#endLine();
    return this.#markOffset === undefined
      ? { kind: 'none' }
      : { kind: 'done', contentLength: this.#markOffset, remark: this.#textAfterMark.trim() };
  }

  #endLine(): void {
    const line = this.#line;
    if (DONE_LINE.test(line)) {
      this.#markOffset = this.#lineStart;
      this.#textAfterMark = '';
      this.#remarkLength = new TrimmedLength();
    } else if (this.#markOffset !== undefined) {
      this.#textAfterMark += line;
      if (this.#remarkLength.value > MAX_REMARK_CHARACTERS) this.#markOffset = undefined;
    }
    this.#lineStart += line.length;
    this.#line = '';
  }
}

/** Looks for the DONE line in a whole text, as `DoneDetector` does in one that streams. */
export const findDone = (text: string): DoneMark => {
  const detector = new DoneDetector();
  detector.push(text);
  return detector.finish();
};

/** Length of a growing text without surrounding white space, in characters. Each part is looked at once. */
class TrimmedLength {
  #length = 0;
  /** Number of blanks at the end so far, which count when something follows. */
  #blanks = 0;

  get value(): number {
    return this.#length;
  }

  add(part: string): void {
    const end = part.trimEnd().length;
    const skipped = this.#length === 0 ? part.length - part.trimStart().length : 0;
    if (end > 0) {
      this.#length += this.#blanks + end - skipped;
      this.#blanks = part.length - end;
    } else if (this.#length > 0) {
      this.#blanks += part.length;
    }
  }
}
