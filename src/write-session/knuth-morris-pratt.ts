/**
 * Returns the first index of `pattern` in `text` at or after `from`, or -1 if there is none, as `indexOf` does (Knuth,
 * Morris and Pratt). `indexOf` and `lastIndexOf` take time in the product of both lengths on texts such as `aaa…`, and
 * both texts come from a model: 100,000 characters would hold a workflow task for seconds.
 */
export const kmpIndexOf = (text: string, pattern: string, from = 0): number => {
  if (pattern === '') return Math.min(from, text.length);
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let i = from; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === unit) matched += 1;
    if (matched === pattern.length) return i + 1 - matched;
  }
  return -1;
};

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
