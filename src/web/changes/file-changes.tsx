import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { useCallback, useMemo, useState } from 'react';
import type { TurnFileAnswer } from '../../contracts/http/file-api.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { Problem } from '../parts/problem.tsx';
import { turnFile } from '../server/file-requests.ts';
import { useAnswer } from '../server/use-answer.ts';

interface FileOfTurn {
  readonly turnId: string;
  readonly path: string;
}

/** A file that a turn has changed; opened it shows what it held before and holds since. */
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
  const answer = useAnswer(useCallback(() => turnFile({ turnId, path }), [turnId, path]));
  if (!answer) return <p className="fact">Reading …</p>;
  if (!answer.ok) return <Problem failure={answer.failure} />;
  const { texts, reason } = answer.value;
  return texts ? <Compared path={path} texts={texts} /> : <p className="fact">{reason}</p>;
};

/** Milliseconds that one comparison may take; the page stands still meanwhile. */
const DIFF_MS = 200;
/** Lines of a diff that are drawn; more would be read by nobody and weigh on the page. */
const MAX_LINES = 3_000;

const Compared = ({ path, texts }: { path: string; texts: NonNullable<TurnFileAnswer['texts']> }) => {
  const lines = useMemo(() => diffLines(path, texts), [path, texts]);
  if (lines === undefined) return <p className="fact">Too much of it has changed to be compared.</p>;
  return (
    <>
      <DiffView diff={lines.slice(0, MAX_LINES).join('\n')} target={path} />
      {lines.length > MAX_LINES && <p className="fact">{lines.length - MAX_LINES} more lines.</p>}
    </>
  );
};

const diffLines = (
  path: string,
  { before, after }: NonNullable<TurnFileAnswer['texts']>,
): readonly string[] | undefined => {
  const options = { context: 3, timeout: DIFF_MS, headerOptions: FILE_HEADERS_ONLY };
  const [oldName, newName] = [before, after].map((text) => (text === null ? '/dev/null' : path));
  const names = [oldName ?? path, newName ?? path] as const;
  return createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, options)
    ?.replace(/\n$/, '')
    .split('\n');
};
