import { useState } from 'react';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { Problem } from '../components/problem.tsx';
import type { Navigate } from '../route/address.ts';
import { newConversationRoute } from '../route/page-ids.ts';
import { RouteLink } from '../route/route-link.tsx';
import type { AddressFailure } from '../route/use-page-route.ts';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { useConversations } from '../sidebar/use-conversations.ts';
import { useWaitingInputRequests } from '../sidebar/use-waiting-input-requests.ts';
import { TopBar } from './top-bar.tsx';

interface MissingPageProps {
  /** The project whose conversations are listed. */
  readonly projectId: string;
  readonly failure: AddressFailure;
  readonly user: SignInResponse;
  readonly onNavigate: Navigate;
}

/** Shows why the turn or the project that the address names cannot be shown, beside the conversations of a project. */
export const MissingPage = ({ projectId, failure, user, onNavigate }: MissingPageProps) => {
  const [route] = useState(() => newConversationRoute(projectId));
  const list = useConversations(projectId, '');
  const waiting = useWaitingInputRequests();
  const isProject = failure.subject === 'project';
  const isUnknownTurn = failure.code === 'turn_not_found';
  const turnTitle = isUnknownTurn ? 'No such turn' : 'Turn';
  return (
    <>
      <Sidebar {...{ route, user, list, waiting, onNavigate }} />
      <main tabIndex={-1}>
        <TopBar title={isProject ? 'No such project' : turnTitle} facts={[]} waitingCount={waiting.length} />
        <section className="scroll" aria-label={`Missing ${failure.subject}`}>
          <div className="column">
            <Problem failure={failure} {...(!isProject && !isUnknownTurn && { retry: reload })} />
            {isProject ? (
              <UsableProjects projects={user.projects ?? [projectId]} onNavigate={onNavigate} />
            ) : (
              <p>
                <RouteLink route={route} onNavigate={onNavigate}>
                  Start a new conversation
                </RouteLink>
              </p>
            )}
          </div>
        </section>
      </main>
    </>
  );
};

const reload = (): void => location.reload();

/** Links to a new conversation in each of the projects. */
const UsableProjects = ({ projects, onNavigate }: { projects: readonly string[]; onNavigate: Navigate }) => {
  const [routes] = useState(() => projects.map(newConversationRoute));
  return (
    <ul>
      {routes.map((route) => (
        <li key={route.projectId}>
          <RouteLink route={route} onNavigate={onNavigate}>
            Start a new conversation in {route.projectId}
          </RouteLink>
        </li>
      ))}
    </ul>
  );
};
