/**
 * Shows a unified diff line by line. Added and removed lines keep their sign, so that they differ not only in colour.
 */
export const DiffView = ({ diff, target }: { diff: string; target: string }) => (
  <pre className="diff" role="region" dir="ltr" tabIndex={0} aria-label={`Changes of ${target}`}>
    {diff
      .replace(/\n$/, '')
      .split('\n')
      .map((line, index) => (
        // A line has no state, so its index may be its key even when the diff changes.
        <span key={index} className={kindOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
  </pre>
);

const kindOf = (line: string): string => {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'kept';
};
