const kindOf = (line: string): string => {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'kept';
};

/** A unified diff, line by line; what is added and removed is told by its sign as well as by its colour. */
export const DiffView = ({ diff, target }: { diff: string; target: string }) => (
  <pre className="diff" role="region" dir="ltr" tabIndex={0} aria-label={`Changes of ${target}`}>
    {diff
      .replace(/\n$/, '')
      .split('\n')
      .map((line, index) => (
        // A diff does not change: its lines are told apart by their place.
        <span key={index} className={kindOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
  </pre>
);
