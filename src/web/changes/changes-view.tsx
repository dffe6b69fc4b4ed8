import { useMemo } from 'react';
import type { TurnUndoResponse, UndoneFile } from '../../contracts/http/turn-api.ts';
import { requestTurnUndo } from '../http/turn-requests.ts';
import type { AnswerEntry } from '../turn/answer-entry.ts';
import { changedPaths, type TreeNode, treeOf } from './changed-files.ts';
import { ChangedFile } from './file-changes.tsx';
import { UndoButton } from './undo-button.tsx';

interface ChangesViewProps {
  readonly turnId: string;
  /** Address of the view of the files of the project, which marks those that the turn has changed. */
  readonly filesAddress: string;
  readonly entries: readonly AnswerEntry[];
}

/**
 * Shows the files that a turn has written (`changedPaths`), and a button that undoes the changes. Shows nothing if
 * there are none.
 */
export const ChangesView = ({ turnId, filesAddress, entries }: ChangesViewProps) => {
  const paths = useMemo(() => changedPaths(entries), [entries]);
  if (paths.length === 0) return null;
  return (
    <details className="changes">
      <summary>{paths.length === 1 ? 'Changed a file' : `Changed ${paths.length} files`}</summary>
      <ChangedFileTree turnId={turnId} nodes={treeOf(paths)} />
      <p>
        <a href={filesAddress}>Among the other files</a>
      </p>
      <UndoButton
        buttonText="Undo …"
        confirmation="Restore the earlier contents of these files?"
        undo={() => requestTurnUndo(turnId)}
        renderResponse={(response) => <UndoResult response={response} />}
      />
    </details>
  );
};

const ChangedFileTree = ({ turnId, nodes }: { turnId: string; nodes: readonly TreeNode[] }) => (
  <ul dir="ltr">
    {nodes.map(({ name, path, children }) => (
      <li key={name}>
        {path === '' ? (
          <span className="folder">{name}</span>
        ) : (
          <ChangedFile turnId={turnId} path={path} name={name} />
        )}
        {children.length > 0 && <ChangedFileTree turnId={turnId} nodes={children} />}
      </li>
    ))}
  </ul>
);

const OUTCOMES: Readonly<Record<UndoneFile['outcome'], string>> = {
  restored: 'holds again what it held before the turn',
  removed: 'is removed: the turn had made it',
  unchanged: 'is as it was before the turn, or was taken back already',
  refused: 'stays as it is',
};

const UndoResult = ({ response: { files, otherTools } }: { response: TurnUndoResponse }) => (
  <>
    <ul className="undone">
      {files.map(({ path, outcome, reason }) => (
        <li key={path} className={outcome}>
          <code>{path}</code> {OUTCOMES[outcome]}
          {reason !== undefined && `: ${reason}`}
        </li>
      ))}
    </ul>
    {otherTools.length > 0 && (
      <p className="fact">What these have changed stays as it is: {otherTools.join(', ')}</p>
    )}
  </>
);
