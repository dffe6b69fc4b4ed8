import { LF, CR } from '../../base/text/ascii.ts';

/** Returns the offset at which each line begins. A final line break starts no line, and an empty content has none. */
export const lineStartsOf = (content: Buffer): Uint32Array => {
  let lines = content.length > 0 ? 1 : 0;
  for (let i = 0; i < content.length - 1; i += 1) if (content[i] === LF) lines += 1;
  const starts = new Uint32Array(lines);
  let line = 1;
  for (let i = 0; i < content.length - 1; i += 1) {
    if (content[i] !== LF) continue;
    starts[line] = i + 1;
    line += 1;
  }
  return starts;
};

/**
 * Returns the index of the line, from 0, that contains the byte at `offset`. For an offset after the end, that is the
 * last line.
 */
export const lineAt = (starts: Uint32Array, offset: number): number => {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Returns the offset after the line with the index `line` and its line break. */
export const endOfLine = (starts: Uint32Array, line: number, content: Buffer): number =>
  starts[line + 1] ?? content.length;

/** Returns `\r\n` if there are line breaks and each of them is CR LF, otherwise `\n`. */
export const lineBreakOf = (content: Buffer): '\n' | '\r\n' => {
  let breaks = 0;
  for (let i = 0; i < content.length; i += 1) {
    if (content[i] !== LF) continue;
    if (content[i - 1] !== CR) return '\n';
    breaks += 1;
  }
  return breaks > 0 ? '\r\n' : '\n';
};
