/** A line of a diff, and what it is. `hunk` is the header of a hunk (`@@ … @@`). */
interface DiffLine {
  readonly line: string;
  readonly kind: 'file' | 'hunk' | 'added' | 'removed' | 'context';
}

/** Returns the lines of a unified diff of one file, each with what it is. */
export const classifyDiffLines = (diff: string): readonly DiffLine[] => {
  const lines = diff.replace(/\n$/, '').split('\n');
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'));
  // After the header of the first hunk, `---` may begin a line that was removed, such as a comment of SQL.
  return lines.map((line, index) => ({ line, kind: index < firstHunk ? 'file' : kindOf(line) }));
};

const kindOf = (line: string): DiffLine['kind'] => {
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'context';
};
