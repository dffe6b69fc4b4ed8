/**
 * A line that opens a fence (CommonMark 4.5): the fence, then an info string without backticks. A fence is matched
 * whole or not at all: with backtracking, 100,000 tildes before a backtick would take quadratic time.
 */
const OPENING = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))([^`\r\n]*)\r?$/;

interface Fence {
  readonly mark: string;
  readonly isBare: boolean;
}

/**
 * Returns the text inside of a code fence that wraps the whole text. Returns undefined if none does.
 *
 * - The fence is opened on the first line, closed on the last, and nowhere in between. Blank lines may follow.
 * - A text that begins with one block and ends with another is not wrapped.
 * - A block inside is recognised only if its opening line names a language.
 */
export const withoutCodeFence = (text: string): string | undefined => {
  const [first = '', ...inner] = text.trimEnd().split('\n');
  const opener = fenceOf(first)?.mark;
  const last = inner.pop();
  if (opener === undefined || last === undefined) return undefined;
  const open = [opener];
  for (const line of inner) {
    const fence = fenceOf(line);
    if (!fence) continue;
    if (closes(fence, open.at(-1) ?? '')) open.pop();
    else if (!fence.isBare) open.push(fence.mark);
    if (open.length === 0) return undefined;
  }
  const end = fenceOf(last);
  if (open.length !== 1 || !end || !closes(end, opener)) return undefined;
  return inner.map((line) => `${line}\n`).join('');
};

const fenceOf = (line: string): Fence | undefined => {
  const [, mark, info] = OPENING.exec(line) ?? [];
  return mark === undefined ? undefined : { mark, isBare: info?.trim() === '' };
};

const closes = (fence: Fence, opener: string): boolean => fence.isBare && fence.mark.startsWith(opener);
