/**
 * Matches characters that a terminal obeys or hides instead of showing them: control characters (C0, DEL, C1),
 * bidirectional controls, zero-width and other default ignorable code points (Unicode UAX #44), the separators U+2028
 * and U+2029, and interlinear annotations. Line feed and tab are allowed. So are variation selectors, which belong to
 * the emoji or letter before them, except the 240 supplementary ones, in which text can be hidden.
 */
const HIDDEN =
  /[[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]--[\n\t[\p{Variation_Selector}--[\u{E0100}-\u{E01EF}]]]]/gv;

const JOINERS = /[\u200C\u200D]/;
/**
 * `JOINS` and `JOINED` match the characters before and after U+200D in an emoji. `SHAPED` matches the character before
 * a joiner in scripts such as Arabic and Devanagari, which need both joiners to be written correctly.
 */
const JOINS = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$/v;
const JOINED = /^\p{Extended_Pictographic}/v;
const SHAPED =
  /[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]]$/v;

/** Number of code units that are read on each side of a joiner, enough for one code point. */
const NEIGHBOUR = 2;

/**
 * Makes text of a model, a file, a server or a tool safe for a terminal. Characters that would move its cursor, set its
 * title, reach its clipboard or hide text are shown as escapes such as `\u001b`. Line breaks and tabs stay; CRLF
 * becomes LF.
 */
export const safeForTerminal = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (character, index: number, all: string) =>
      JOINERS.test(character) && joinsNeighbours(character, index, all) ? character : escaped(character),
    );

/**
 * Does what `safeForTerminal` does for a piece of the output of `SafeText`. A joiner at the beginning of such a piece
 * is known to join.
 */
export const safeContinuation = (text: string): string => {
  const joiner = JOINERS.test(text.slice(0, 1)) ? text.slice(0, 1) : '';
  return joiner + safeForTerminal(text.slice(joiner.length));
};

/**
 * Makes a name safe within a line of our own. Its line breaks and tabs are shown as escapes, too, so that the name
 * cannot leave the line.
 */
export const safeInLine = (name: string): string => safeForTerminal(name).replace(/[\n\t]/g, escaped);

/**
 * Matches the end of a piece that the next piece may still change. A CR may be followed by LF, and a high surrogate by
 * a low one. Whether a joiner is shown depends on the character after it.
 */
const UNDECIDED = /\r$|[\u200C\u200D]?[\uD800-\uDBFF]?$/;

/** Does what `safeForTerminal` does for text that comes in pieces. The result is the same wherever the text is cut. */
export class SafeText {
  #last = '';
  #undecided = '';

  /** Takes the next piece and returns what can be shown now. The last few characters may be held back. */
  feed(piece: string): string {
    const text = this.#undecided + piece;
    this.#undecided = UNDECIDED.exec(text)?.[0] ?? '';
    return this.#show(text.slice(0, text.length - this.#undecided.length));
  }

  /** Ends the text and returns what was held back. The next piece begins a new text. */
  end(): string {
    const rest = this.#undecided;
    this.#undecided = '';
    const shown = this.#show(rest);
    this.#last = '';
    return shown;
  }

  #show(text: string): string {
    if (text === '') return '';
    // `#last` was shown before. It only tells whether a joiner at the beginning of `text` joins.
    const shown = safeForTerminal(this.#last + text).slice(safeForTerminal(this.#last).length);
    this.#last = (this.#last + text).slice(-NEIGHBOUR);
    return shown;
  }
}

const joinsNeighbours = (joiner: string, index: number, text: string): boolean => {
  const before = text.slice(Math.max(0, index - NEIGHBOUR), index);
  const after = text.slice(index + 1, index + 1 + NEIGHBOUR);
  return (joiner === '\u200D' && JOINS.test(before) && JOINED.test(after)) || SHAPED.test(before);
};

const escaped = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
};
