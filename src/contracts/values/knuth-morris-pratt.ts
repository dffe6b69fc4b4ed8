/**
 * Returns the first index of `pattern` in `text` at or after `from`, or -1 if there is none, as `indexOf` does (Knuth,
 * Morris and Pratt). `indexOf` and `lastIndexOf` take time in the product of both lengths on texts such as `aaa…`, and
 * both texts come from a model: 100,000 characters would hold a workflow task for seconds.
 */
export const kmpIndexOf = (text: string, pattern: string, from = 0): number => {
  if (pattern === '') return Math.min(from, text.length);
  const search = new PatternSearch(pattern);
  for (let i = from; i < text.length; i += 1) {
    if (search.push(text.charCodeAt(i))) return i + 1 - pattern.length;
  }
  return -1;
};

/**
 * Finds all places of a pattern, including overlapping ones, in a text that is given unit by unit. Units are those of
 * UTF-16, or bytes if the pattern is a text with one character (U+0000 to U+00FF) for each byte.
 */
export class PatternSearch {
  readonly #pattern: string;
  readonly #borders: Uint32Array;
  #matched = 0;

  /** `pattern` has at least one unit. */
  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#borders = bordersOf(pattern);
  }

  /** Takes the next unit of the text. Returns true if a place of the pattern ends with it. */
  push(unit: number): boolean {
    const pattern = this.#pattern;
    const borders = this.#borders;
    let matched = this.#matched;
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === unit) matched += 1;
    const isEnd = matched === pattern.length;
    this.#matched = isEnd ? (borders[matched - 1] ?? 0) : matched;
    return isEnd;
  }
}

/**
 * Returns, for each beginning of the pattern, the length of the longest proper end of that beginning which is also a
 * beginning of the pattern.
 */
export const bordersOf = (pattern: string): Uint32Array => {
  const borders = new Uint32Array(pattern.length);
  let border = 0;
  for (let i = 1; i < pattern.length; i += 1) {
    const unit = pattern.charCodeAt(i);
    while (border > 0 && pattern.charCodeAt(border) !== unit) border = borders[border - 1] ?? 0;
    if (pattern.charCodeAt(border) === unit) border += 1;
    borders[i] = border;
  }
  return borders;
};
