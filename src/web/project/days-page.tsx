import type { SignInAnswer } from '../../contracts/http/sign-in-api.ts';
import type { Place } from '../page/address.ts';
import { Sidebar } from '../page/sidebar.tsx';
import { TopBar } from '../page/top-bar.tsx';
import { useConversations } from '../page/use-conversations.ts';
import { useWaiting } from '../page/use-waiting.ts';
import { ProjectDays } from './project-days.tsx';

interface DaysPageProps {
  readonly place: Place;
  readonly who: SignInAnswer;
  readonly onGo: (place: Place) => void;
}

/** What a project came to by day, beside the list of its conversations. */
export const DaysPage = ({ place, who, onGo }: DaysPageProps) => {
  const list = useConversations(place.projectId, '');
  const waiting = useWaiting('', false);
  return (
    <>
      <Sidebar {...{ place, who, list, waiting, onGo }} />
      <main>
        <TopBar title={`${place.projectId} by day`} facts={[]} waiting={waiting.length} />
        <ProjectDays projectId={place.projectId} />
      </main>
    </>
  );
};
