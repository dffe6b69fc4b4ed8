// oxlint-disable-next-line import/no-unassigned-import -- it must run before all other imports
import './server/no-eval.ts';
import { StrictMode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { InfoAnswer } from '../contracts/http/info-api.ts';
import type { SignInAnswer } from '../contracts/http/sign-in-api.ts';
import { DEFAULT_PROJECT } from './place/address.ts';
import { newPlace } from './place/new-place.ts';
import { PlaceLink } from './place/place-link.tsx';
import { keepFocus } from './page/kept-focus.ts';
import { ChatPage } from './page/chat-page.tsx';
import { ProjectPage } from './project/project-page.tsx';
import { Problem } from './parts/problem.tsx';
import { SignIn } from './page/sign-in.tsx';
import { usePlace } from './place/use-place.ts';
import { type Failure, onSignedOut } from './server/gateway-request.ts';
import { orionInfo, whoAsks } from './server/requests.ts';

/** Shows the conversation that the address names, to a person who may see it; else what is missing for that. */
const Page = () => {
  const [who, setWho] = useState<SignInAnswer>();
  const [failure, setFailure] = useState<Failure>();
  const ask = useCallback((): void => {
    const look = async (): Promise<void> => {
      const answer = await whoAsks();
      setFailure(answer.ok ? undefined : answer.failure);
      setWho(answer.ok ? answer.value : undefined);
    };
    void look();
  }, []);
  useEffect(ask, [ask]);
  useEffect(() => onSignedOut(ask), [ask]);
  if (failure?.code === 'unauthorized') {
    return (
      <SignIn
        onSignedIn={(signedIn) => {
          setFailure(undefined);
          setWho(signedIn);
        }}
      />
    );
  }
  if (failure) {
    return (
      <main className="alone">
        <Problem failure={failure} again={ask} />
      </main>
    );
  }
  return who ? <Chat who={who} /> : null;
};

const reload = (): void => location.reload();

const Chat = ({ who }: { who: SignInAnswer }) => {
  const firstProject = who.projects?.[0] ?? DEFAULT_PROJECT;
  const { place, missed, go } = usePlace(firstProject);
  const [info, setInfo] = useState<InfoAnswer>();
  useEffect(() => {
    void orionInfo().then((answer) => answer.ok && setInfo(answer.value));
  }, []);
  if (missed) {
    return (
      <main className="alone">
        <Problem failure={missed} {...(missed.code !== 'turn_not_found' && { again: reload })} />
        <PlaceLink place={newPlace(firstProject)} onGo={go}>
          New conversation
        </PlaceLink>
      </main>
    );
  }
  if (!place) return null;
  const { projectId, conversationId, view } = place;
  if (view !== undefined) {
    return <ProjectPage key={projectId} view={view} place={place} who={who} onGo={go} />;
  }
  return <ChatPage key={`${projectId} ${conversationId}`} place={place} who={who} info={info} onGo={go} />;
};

const root = document.getElementById('page');
if (root) {
  keepFocus(root);
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
