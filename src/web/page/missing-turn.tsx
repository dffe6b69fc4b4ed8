import { useState } from 'react';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { Problem } from '../components/problem.tsx';
import type { Failure } from '../http/gateway-request.ts';
import type { Navigate } from '../route/address.ts';
import { newConversationRoute } from '../route/page-ids.ts';
import { RouteLink } from '../route/route-link.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { useConversations } from '../sidebar/use-conversations.ts';
import { useWaitingInputRequests } from '../sidebar/use-waiting-input-requests.ts';
import { TopBar } from './top-bar.tsx';

interface MissingTurnProps {
  /** The project whose conversations are listed. */
  readonly projectId: string;
  readonly failure: Failure;
  readonly user: SignInResponse;
  readonly onNavigate: Navigate;
}

const reload = (): void => location.reload();

/** Shows why the turn that a link names cannot be shown, beside the conversations of a project. */
export const MissingTurn = ({ projectId, failure, user, onNavigate }: MissingTurnProps) => {
  const [route] = useState(() => newConversationRoute(projectId));
  const list = useConversations(projectId, '');
  const waiting = useWaitingInputRequests();
  const isUnknown = failure.code === 'turn_not_found';
  return (
    <>
      <Sidebar {...{ route, user, list, waiting, onNavigate }} />
      <main tabIndex={-1}>
        <TopBar title={isUnknown ? 'No such turn' : 'Turn'} facts={[]} waiting={waiting.length} />
        <section className="scroll" aria-label="Missing turn">
          <div className="column">
            <Problem failure={failure} {...(!isUnknown && { retry: reload })} />
            <p>
              <RouteLink route={route} onNavigate={onNavigate}>
                Start a new conversation
              </RouteLink>
            </p>
          </div>
        </section>
      </main>
    </>
  );
};
