import { useMemo } from 'react';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { changedPaths } from '../changes/changed-files.ts';
import { Problem } from '../components/problem.tsx';
import type { StreamedTurn } from '../turn/turn-stream-reader.ts';
import { useTurn } from '../turn/use-turn.ts';
import { Folder } from './folder.tsx';
import type { Navigate, PageRoute, ProjectView } from '../route/address.ts';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { TopBar } from '../page/top-bar.tsx';
import { useConversations } from '../sidebar/use-conversations.ts';
import { useWaitingInputRequests } from '../sidebar/use-waiting-input-requests.ts';
import { ProjectDays } from './project-days.tsx';

interface ProjectPageProps {
  readonly view: ProjectView;
  readonly route: PageRoute;
  readonly user: SignInResponse;
  readonly onNavigate: Navigate;
}

const TITLES: Readonly<Record<ProjectView, (projectId: string) => string>> = {
  days: (projectId) => `${projectId} by day`,
  files: (projectId) => `Files of ${projectId}`,
};

/** Shows the figures of a project by day, or its files, beside the list of its conversations. */
export const ProjectPage = ({ view, route, user, onNavigate }: ProjectPageProps) => {
  const { projectId, turnId } = route;
  const list = useConversations(projectId, '');
  const waiting = useWaitingInputRequests();
  return (
    <>
      <Sidebar {...{ route, user, list, waiting, onNavigate }} />
      <main tabIndex={-1}>
        <TopBar title={TITLES[view](projectId)} facts={[]} waitingCount={waiting.length} />
        {view === 'days' ? (
          <ProjectDays route={route} onNavigate={onNavigate} />
        ) : (
          <ProjectFiles key={turnId} projectId={projectId} turnId={turnId} />
        )}
      </main>
    </>
  );
};

/** Shows the files of a project as its tools see them, and marks those that a turn has changed. */
const ProjectFiles = ({ projectId, turnId }: { projectId: string; turnId: string | undefined }) => {
  const turn = useTurn(turnId);
  const changed = useMemo(() => changedPaths(turn.received.view.entries), [turn.received.view.entries]);
  return (
    <section className="scroll" aria-label="Files">
      <div className="column file-tree">
        {turnId !== undefined && <Changes turnId={turnId} turn={turn} count={changed.length} />}
        <Folder projectId={projectId} path="." changed={changed} />
      </div>
    </section>
  );
};

const Changes = ({ turnId, turn, count }: { turnId: string; turn: StreamedTurn; count: number }) =>
  turn.failure ? (
    <Problem failure={turn.failure} />
  ) : (
    <p className="fact" role="status">
      <a href={`?turn=${turnId}`}>A turn</a> has changed {count === 1 ? 'one' : count} of these files
      {turn.received.view.end === null && ' so far'}.
    </p>
  );
