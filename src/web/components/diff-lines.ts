/** A line of a diff, and what it is. */
interface DiffLine {
  readonly line: string;
  readonly kind: 'file' | 'place' | 'added' | 'removed' | 'kept';
}

/** Returns the lines of a unified diff of one file. */
export const diffLines = (diff: string): readonly DiffLine[] => {
  const lines = diff.replace(/\n$/, '').split('\n');
  const firstPlace = lines.findIndex((line) => line.startsWith('@@'));
  // Behind the first place, `---` may begin a line that was removed, such as a comment of SQL.
  return lines.map((line, index) => ({ line, kind: index < firstPlace ? 'file' : kindOf(line) }));
};

const kindOf = (line: string): DiffLine['kind'] => {
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'kept';
};
