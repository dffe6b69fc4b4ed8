import { useState } from 'react';
import type { InputList } from '../../contracts/http/input-api.ts';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { signOut } from '../http/sign-in-requests.ts';
import { readDraftedConversation } from '../tab-storage/stored-draft.ts';
import type { Navigate, PageRoute, ProjectView } from '../route/address.ts';
import { askToNotify, canAskToNotify } from './notifications.ts';
import { briefInputRequestWords } from '../input-requests/input-request-words.ts';
import { ConversationLinks } from './conversation-links.tsx';
import { newConversationRoute } from '../route/page-ids.ts';
import { RouteLink } from '../route/route-link.tsx';
import { requestPlaceWords } from './request-place.ts';
import type { ListedConversations } from './use-conversations.ts';

interface SidebarProps {
  readonly route: PageRoute;
  readonly user: SignInResponse;
  readonly waiting: InputList['inputs'];
  readonly list: ListedConversations;
  readonly onNavigate: Navigate;
}

/**
 * Shows the requests that wait for the person, and the conversations of the project, those with the newest messages
 * first. On narrow screens it opens over the page.
 */
export const Sidebar = ({ route, user, waiting, list, onNavigate }: SidebarProps) => (
  <nav id="conversations" className="sidebar" popover="auto" aria-label="Conversations">
    <NewConversation route={route} onNavigate={onNavigate} />
    <WaitingRequests {...{ route, waiting, list, onNavigate }} />
    <NotifyButton />
    <ConversationLinks {...{ route, list, onNavigate }} />
    <ProjectLinks route={route} onNavigate={onNavigate} />
    <ProjectChoice route={route} projects={user.projects ?? []} onNavigate={onNavigate} />
    {user.name !== null && (
      <p className="who">
        <span className="fact">{user.name}</span>
        <button type="button" className="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </p>
    )}
  </nav>
);

/** A link to a new conversation. If a new conversation with a draft exists already, a plain click leads there. */
const NewConversation = ({ route, onNavigate }: Pick<SidebarProps, 'route' | 'onNavigate'>) => {
  const openNewConversation = (newRoute: PageRoute): void => {
    const drafted = readDraftedConversation(route.projectId, sessionStorage);
    const next = { ...newRoute, ...(drafted !== undefined && { conversationId: drafted }) };
    // A person who is already there needs no step to go back to.
    onNavigate(next, route.view === undefined && drafted === route.conversationId ? 'replace' : undefined);
  };
  return (
    <RouteLink className="new" route={newConversationRoute(route.projectId)} onNavigate={openNewConversation}>
      New conversation
    </RouteLink>
  );
};

/** Lists the requests that wait for a reply, in any conversation. */
const WaitingRequests = ({ route, waiting, list, onNavigate }: Omit<SidebarProps, 'user'>) =>
  waiting.length === 0 ? null : (
    <section aria-labelledby="needs-you">
      <h2 id="needs-you">
        Needs you <span className="count">{waiting.length}</span>
      </h2>
      <ul>
        {waiting.map((input) => (
          <li key={input.inputId}>
            <RouteLink className="waiting" route={routeOf(input)} onNavigate={onNavigate}>
              <span className="title" dir="auto">
                {briefInputRequestWords(input)}
              </span>
              <span className="title fact" dir="auto">
                {requestPlaceWords(input, route.projectId, list.conversations)}
              </span>
            </RouteLink>
          </li>
        ))}
      </ul>
    </section>
  );

type WaitingInput = InputList['inputs'][number];

const routeOf = ({ projectId, conversationId, turnId }: WaitingInput): PageRoute => ({
  projectId,
  conversationId,
  turnId,
});

const ProjectLinks = ({ route, onNavigate }: Pick<SidebarProps, 'route' | 'onNavigate'>) => {
  const link = (view: ProjectView, words: string) => (
    <RouteLink
      route={{ ...newConversationRoute(route.projectId), view, search: route.search ?? '' }}
      isCurrent={route.view === view}
      onNavigate={onNavigate}
    >
      {words}
    </RouteLink>
  );
  return (
    <div className="project-links">
      {link('days', 'Project by day')}
      {link('files', 'Files')}
    </div>
  );
};

/** A button that asks for notifications. It is shown until the person has chosen. */
const NotifyButton = () => {
  const [isOffered, setOffered] = useState(canAskToNotify);
  const choose = async (): Promise<void> => {
    await askToNotify();
    setOffered(canAskToNotify());
  };
  return isOffered ? (
    <button type="button" className="quiet notify" onClick={() => void choose()}>
      Notify me when something waits
    </button>
  ) : null;
};

/** Lets the person choose the project, if the key opens several. */
const ProjectChoice = ({
  route,
  projects,
  onNavigate,
}: Pick<SidebarProps, 'route' | 'onNavigate'> & { projects: readonly string[] }) =>
  projects.length < 2 ? null : (
    <label className="projects">
      <span className="fact">Project</span>
      <select
        value={route.projectId}
        onChange={({ target }) => onNavigate(newConversationRoute(target.value))}
      >
        {projects.map((project) => (
          <option key={project}>{project}</option>
        ))}
      </select>
    </label>
  );
