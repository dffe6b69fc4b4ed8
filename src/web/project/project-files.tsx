import { useMemo } from 'react';
import { changedPaths } from '../changes/changed-files.ts';
import { Problem } from '../parts/problem.tsx';
import { type TurnOnPage, useTurn } from '../turn/use-turn.ts';
import { Folder } from './file-tree.tsx';

/** The files of a project as its tools see them, and which of them a turn has changed. */
export const ProjectFiles = ({ projectId, turnId }: { projectId: string; turnId: string | undefined }) => {
  const turn = useTurn(turnId);
  const changed = useMemo(() => changedPaths(turn.log.view.entries), [turn.log.view.entries]);
  return (
    <section className="scroll" aria-label="Files">
      <div className="column file-tree">
        {turnId !== undefined && <Changes turnId={turnId} turn={turn} count={changed.length} />}
        <Folder projectId={projectId} path="." changed={changed} />
      </div>
    </section>
  );
};

const Changes = ({ turnId, turn, count }: { turnId: string; turn: TurnOnPage; count: number }) =>
  turn.failure ? (
    <Problem failure={turn.failure} />
  ) : (
    <p className="fact" role="status">
      <a href={`?turn=${turnId}`}>A turn</a> has changed {count === 1 ? 'one' : count} of these files
      {turn.log.view.end === null && ' so far'}.
    </p>
  );
