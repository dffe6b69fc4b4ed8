import { useCallback, useMemo, useState } from 'react';
import { lineWords } from '../wording/number-words.ts';
import { DiffView } from '../components/diff-view.tsx';
import { Problem } from '../components/problem.tsx';
import { readTurnFile } from '../http/file-requests.ts';
import { useRequest } from '../http/use-request.ts';
import { unifiedDiffLines, type TextPair } from './compared-texts.ts';

interface FileOfTurn {
  readonly turnId: string;
  readonly path: string;
}

/**
 * A file that a turn has changed. Once opened, it shows the difference between its content before and after the turn.
 */
export const ChangedFile = ({ name, ...file }: FileOfTurn & { name: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && <FileChanges {...file} />}
    </details>
  );
};

const FileChanges = ({ turnId, path }: FileOfTurn) => {
  const result = useRequest(useCallback(() => readTurnFile({ turnId, path }), [turnId, path]));
  if (!result) return <p className="fact">Reading …</p>;
  if (!result.ok) return <Problem failure={result.failure} />;
  const { texts, reason } = result.value;
  return texts ? <FileDiff path={path} texts={texts} /> : <p className="fact">{reason}</p>;
};

const FileDiff = ({ path, texts }: { path: string; texts: TextPair }) => {
  const lines = useMemo(() => unifiedDiffLines(path, texts), [path, texts]);
  return <DiffLines path={path} lines={lines} />;
};

/** Largest number of lines of a diff that are rendered. More would slow the page down. */
const MAX_LINES = 3_000;

/** Shows the lines of a diff. `lines` is undefined if the comparison took too long. */
export const DiffLines = ({ path, lines }: { path: string; lines: readonly string[] | undefined }) => {
  if (lines === undefined) return <p className="fact">Too much of it has changed to be compared.</p>;
  return (
    <>
      <DiffView diff={lines.slice(0, MAX_LINES).join('\n')} target={path} />
      {lines.length > MAX_LINES && <p className="fact">And {lineWords(lines.length - MAX_LINES)} more.</p>}
    </>
  );
};
