import { classifyDiffLines } from './diff-lines.ts';

/**
 * Shows a unified diff line by line. Added and removed lines keep their sign, so that they differ not only in colour.
 */
export const DiffView = ({ diff, target }: { diff: string; target: string }) => (
  <pre className="diff" role="region" dir="ltr" tabIndex={0} aria-label={`Changes of ${target}`}>
    {classifyDiffLines(diff).map(({ line, kind }, index) => (
      // A line has no state, so its index may be its key even when the diff changes.
      <span key={index} className={kind}>
        {line}
        {'\n'}
      </span>
    ))}
  </pre>
);
