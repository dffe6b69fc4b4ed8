// oxlint-disable-next-line import/no-unassigned-import -- it must run before all other imports
import './http/no-eval.ts';
import { StrictMode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { InfoResponse } from '../contracts/http/info-api.ts';
import type { SignInResponse } from '../contracts/http/sign-in-api.ts';
import { DEFAULT_PROJECT } from './route/address.ts';
import { restoreLostFocus } from './page/restore-focus.ts';
import { ChatPage } from './page/chat-page.tsx';
import { MissingPage } from './page/missing-page.tsx';
import { ProjectPage } from './project/project-page.tsx';
import { Problem } from './components/problem.tsx';
import { SignIn } from './page/sign-in.tsx';
import { usePageRoute } from './route/use-page-route.ts';
import { onSignedOut } from './http/sign-out.ts';
import type { Failure } from './http/request-failure.ts';
import { readOrionInfo } from './http/turn-requests.ts';
import { readSignIn } from './http/sign-in-requests.ts';

/**
 * Shows the conversation or view that the address names, once it is known who the person is. Otherwise asks for an API
 * key, or shows why the gateway did not answer.
 */
const Page = () => {
  const [user, setUser] = useState<SignInResponse>();
  const [failure, setFailure] = useState<Failure>();
  const readUser = useCallback((): void => {
    const readAndShow = async (): Promise<void> => {
      const result = await readSignIn();
      setFailure(result.ok ? undefined : result.failure);
      setUser(result.ok ? result.value : undefined);
    };
    void readAndShow();
  }, []);
  useEffect(readUser, [readUser]);
  useEffect(() => onSignedOut(readUser), [readUser]);
  if (failure?.code === 'unauthorized') {
    return (
      <SignIn
        onSignedIn={(signedIn) => {
          setFailure(undefined);
          setUser(signedIn);
        }}
      />
    );
  }
  if (failure) {
    return (
      <main className="alone">
        <Problem failure={failure} retry={readUser} />
      </main>
    );
  }
  return user ? <RoutedPage user={user} /> : null;
};

const RoutedPage = ({ user }: { user: SignInResponse }) => {
  const firstProject = user.projects?.[0] ?? DEFAULT_PROJECT;
  const { route, failure, navigate } = usePageRoute(user.projects);
  const [info, setInfo] = useState<InfoResponse>();
  useEffect(() => {
    void readOrionInfo().then((result) => result.ok && setInfo(result.value));
  }, []);
  if (failure) {
    return <MissingPage projectId={firstProject} failure={failure} user={user} onNavigate={navigate} />;
  }
  if (!route) return null;
  const { projectId, conversationId, view } = route;
  if (view !== undefined) {
    return <ProjectPage key={projectId} view={view} route={route} user={user} onNavigate={navigate} />;
  }
  return (
    <ChatPage
      key={`${projectId} ${conversationId}`}
      route={route}
      user={user}
      info={info}
      onNavigate={navigate}
    />
  );
};

const root = document.getElementById('page');
if (root) {
  restoreLostFocus(root);
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
