import type { SignInAnswer } from '../../contracts/http/sign-in-api.ts';
import { ProjectFiles } from './project-files.tsx';
import type { GoTo, Place, ProjectView } from '../place/address.ts';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { TopBar } from '../page/top-bar.tsx';
import { useConversations } from '../sidebar/use-conversations.ts';
import { useWaiting } from '../sidebar/use-waiting.ts';
import { ProjectDays } from './project-days.tsx';

interface ProjectPageProps {
  readonly view: ProjectView;
  readonly place: Place;
  readonly who: SignInAnswer;
  readonly onGo: GoTo;
}

const TITLES: Readonly<Record<ProjectView, (projectId: string) => string>> = {
  days: (projectId) => `${projectId} by day`,
  files: (projectId) => `Files of ${projectId}`,
};

/** The counts of a project by day, or its files, beside the list of its conversations. */
export const ProjectPage = ({ view, place, who, onGo }: ProjectPageProps) => {
  const { projectId, turnId } = place;
  const list = useConversations(projectId, '');
  const waiting = useWaiting();
  return (
    <>
      <Sidebar {...{ place, who, list, waiting, onGo }} />
      <main tabIndex={-1}>
        <TopBar title={TITLES[view](projectId)} facts={[]} waiting={waiting.length} />
        {view === 'days' ? (
          <ProjectDays place={place} onGo={onGo} />
        ) : (
          <ProjectFiles key={turnId} projectId={projectId} turnId={turnId} />
        )}
      </main>
    </>
  );
};
