import type { MouseEvent } from 'react';
import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { InputList } from '../../contracts/http/input-api.ts';
import type { SignInAnswer } from '../../contracts/http/sign-in-api.ts';
import { signOut } from '../server/requests.ts';
import { type Place, writeAddress } from './address.ts';
import { newPlace } from './use-place.ts';

interface SidebarProps {
  readonly place: Place;
  readonly who: SignInAnswer;
  readonly waiting: InputList['inputs'];
  readonly conversations: ConversationList['conversations'];
  readonly onGo: (place: Place) => void;
}

/** The conversations of the project, those spoken in last first. On narrow screens it opens over the page. */
export const Sidebar = ({ place, who, waiting, conversations, onGo }: SidebarProps) => (
  <nav id="conversations" className="sidebar" popover="auto" aria-label="Conversations">
    <PlaceLink className="new" place={newPlace(place.projectId)} onGo={onGo}>
      New conversation
    </PlaceLink>
    <Waiting waiting={waiting} onGo={onGo} />
    <ul>
      {conversations.map(({ conversationId, title, lastTurn }) => (
        <li key={conversationId}>
          <PlaceLink
            place={{ projectId: place.projectId, conversationId }}
            isCurrent={conversationId === place.conversationId}
            onGo={onGo}
          >
            <span className="title" dir="auto">
              {title || conversationId}
            </span>
            <StatusDot status={lastTurn?.status} />
          </PlaceLink>
        </li>
      ))}
    </ul>
    <Projects place={place} projects={who.projects ?? []} onGo={onGo} />
    {who.name !== null && (
      <p className="who">
        <span className="fact">{who.name}</span>
        <button type="button" className="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </p>
    )}
  </nav>
);

/** All that waits for a reply, wherever it was asked. */
const Waiting = ({ waiting, onGo }: Pick<SidebarProps, 'waiting' | 'onGo'>) =>
  waiting.length === 0 ? null : (
    <section aria-labelledby="needs-you">
      <h2 id="needs-you">
        Needs you <span className="count">{waiting.length}</span>
      </h2>
      <ul>
        {waiting.map(({ inputId, message, ...place }) => (
          <li key={inputId}>
            <PlaceLink place={place} onGo={onGo}>
              <span className="title" dir="auto">
                {message}
              </span>
            </PlaceLink>
          </li>
        ))}
      </ul>
    </section>
  );

/** Which project it is, where a key opens several. */
const Projects = ({
  place,
  projects,
  onGo,
}: Pick<SidebarProps, 'place' | 'onGo'> & { projects: readonly string[] }) =>
  projects.length < 2 ? null : (
    <label className="projects">
      <span className="fact">Project</span>
      <select value={place.projectId} onChange={({ target }) => onGo(newPlace(target.value))}>
        {projects.map((project) => (
          <option key={project}>{project}</option>
        ))}
      </select>
    </label>
  );

const STATUS_WORDS: Readonly<Record<string, string>> = {
  running: 'running',
  waiting: 'waits for you',
  failed: 'failed',
};

const StatusDot = ({ status }: { status: string | undefined }) => {
  const words = STATUS_WORDS[status ?? ''];
  if (words === undefined) return null;
  return (
    <span className={`dot ${status}`} title={words}>
      <span className="hidden">, {words}</span>
    </span>
  );
};

interface PlaceLinkProps {
  readonly place: Place;
  readonly onGo: (place: Place) => void;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: React.ReactNode;
}

/** A link as any other: a click with a modifier opens another tab. */
const PlaceLink = ({ place, onGo, isCurrent = false, className, children }: PlaceLinkProps) => {
  const onClick = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    document.querySelector<HTMLElement>('.sidebar:popover-open')?.hidePopover();
    onGo(place);
  };
  const current = isCurrent && { 'aria-current': 'page' as const };
  return (
    <a href={writeAddress(place)} className={className} onClick={onClick} {...current}>
      {children}
    </a>
  );
};
