import { useCallback, useState } from 'react';
import { toPrintable } from '../../contracts/values/printable-name.ts';
import { Problem } from '../components/problem.tsx';
import { listFiles } from '../http/file-requests.ts';
import { useRequest } from '../http/use-request.ts';
import { type TreeEntry, treeEntries, unlistedFiles } from './tree-entry.ts';

interface FolderProps {
  readonly projectId: string;
  readonly path: string;
  /** Paths of files that a turn has changed. */
  readonly changed: readonly string[];
}

/**
 * Number of changed files up to which folders with changes are open at first. If there are more, a person opens the
 * folders, because a gateway makes only a few lists at a time.
 */
const MAX_OPENED = 10;

/**
 * Shows the entries of a folder. A folder in it is read once it is open, and folders with changes may be open at first.
 */
export const Folder = ({ projectId, path, changed }: FolderProps) => {
  const list = useRequest(useCallback(() => listFiles({ projectId, path }), [projectId, path]));
  if (!list) return <p className="fact">Reading …</p>;
  if (!list.ok) return <Problem failure={list.failure} />;
  const { entries, truncated } = list.value;
  const others = unlistedFiles(path, entries, changed);
  if (entries.length + others.length === 0) return <p className="fact">Nothing is in it.</p>;
  return (
    <ul dir="ltr">
      {treeEntries(entries, changed).map((entry) => (
        <li key={entry.path}>
          {entry.isFolder ? (
            <SubFolder projectId={projectId} entry={entry} changed={changed} />
          ) : (
            <span className="leaf">
              <bdi>{toPrintable(entry.name)}</bdi>{' '}
              {entry.changes > 0 && <span className="mark">changed</span>}
            </span>
          )}
        </li>
      ))}
      {truncated && <li className="fact">There is more than is listed here.</li>}
      {others.map((each) => (
        <li key={each} className="leaf">
          <bdi>{toPrintable(each)}</bdi> <span className="mark">changed, not listed</span>
        </li>
      ))}
    </ul>
  );
};

const SubFolder = ({ projectId, entry, changed }: Omit<FolderProps, 'path'> & { entry: TreeEntry }) => {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? (entry.changes > 0 && changed.length <= MAX_OPENED);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setChosen(currentTarget.open)}>
      <summary>
        <bdi>{toPrintable(entry.name)}/</bdi>{' '}
        {entry.changes > 0 && <span className="mark">{entry.changes} changed</span>}
      </summary>
      {isOpen && <Folder projectId={projectId} path={entry.path} changed={changed} />}
    </details>
  );
};
